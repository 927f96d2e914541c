# SPDX-License-Identifier: MIT
# libcli: what every program shares. Linked into the programs, never installed.

noinst_LTLIBRARIES += src/common/libcli.la

src_common_libcli_la_CPPFLAGS = $(AM_CPPFLAGS) $(CJSON_CFLAGS)
src_common_libcli_la_LIBADD = lib/libglacier.la $(CJSON_LIBS) -lm
src_common_libcli_la_SOURCES = \
	src/common/bench.c \
	src/common/cli.h \
	src/common/include.c \
	src/common/include.h \
	src/common/input.c \
	src/common/json.c \
	src/common/limits.c \
	src/common/options.c \
	src/common/output.c \
	src/common/progress.c \
	src/common/report.c \
	src/common/report_json.c \
	src/common/response.c \
	src/common/signals.c \
	src/common/table.c \
	src/common/warnings.c \
	$(NULL)
