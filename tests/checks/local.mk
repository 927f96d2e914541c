# SPDX-License-Identifier: MIT
# Checks of the tree and of what was built; each skips with the reason without its tool.

CHECKS = \
	tests/checks/grammar.sh \
	tests/checks/headers.sh \
	tests/checks/layering.sh \
	tests/checks/needed.sh \
	tests/checks/startup.sh \
	tests/checks/symbols.sh \
	tests/checks/text.sh \
	tests/checks/whole-process.sh \
	$(NULL)
EXTRA_DIST += $(CHECKS)
TESTS += $(CHECKS)

LONG_CHECKS = \
	tests/checks/arm64.sh \
	tests/checks/dist.sh \
	tests/checks/install.sh \
	tests/checks/planted-faults.sh \
	$(NULL)
EXTRA_DIST += $(LONG_CHECKS)
CHECK_LONG += \
	tests/checks/arm64.sh:600 \
	tests/checks/dist.sh:1200 \
	tests/checks/install.sh:400 \
	tests/checks/planted-faults.sh:600 \
	$(NULL)
