# SPDX-License-Identifier: MIT
# The manual. A page names only programs that exist.

dist_man_MANS += \
	man/gc-allreduce.1 \
	man/gc-arena-bench.1 \
	man/gc-asm.1 \
	man/gc-dxbc.1 \
	man/gc-run.1 \
	man/gc-spv-val.1 \
	man/glacier-diagnostics.7 \
	man/glacier-environment.7 \
	man/glacier-kernel.7 \
	man/glacier.7 \
	$(NULL)

EXTRA_DIST += maint/rules-list.sh maint/spirv-grammar.py

# Its source is lib/base/codes.def; a test compares.
check_PROGRAMS += maint/diagnostics-page
maint_diagnostics_page_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src
maint_diagnostics_page_SOURCES = maint/diagnostics-page.c
maint_diagnostics_page_LDADD = src/common/libcli.la lib/libglacier.la

update-diagnostics: maint/diagnostics-page
	maint/diagnostics-page >$(srcdir)/man/glacier-diagnostics.7
	top_srcdir=$(top_srcdir) $(SHELL) $(srcdir)/maint/rules-list.sh --update
.PHONY: update-diagnostics
