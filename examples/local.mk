# SPDX-License-Identifier: MIT
# Kernels that every release compiles, validates and runs.

examplesdir = $(docdir)/examples
dist_examples_DATA = \
	examples/vector_add.gasm \
	$(NULL)
