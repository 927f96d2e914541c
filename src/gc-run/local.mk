# SPDX-License-Identifier: MIT
# gc-run: kernels on devices.

bin_PROGRAMS += src/gc-run/gc-run

src_gc_run_gc_run_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src $(CJSON_CFLAGS)
src_gc_run_gc_run_LDADD = src/common/libcli.la lib/libglacier.la $(CJSON_LIBS) -lm
src_gc_run_gc_run_SOURCES = \
	src/gc-run/arguments.c \
	src/gc-run/arguments.h \
	src/gc-run/compare.c \
	src/gc-run/compare.h \
	src/gc-run/devices.c \
	src/gc-run/devices.h \
	src/gc-run/generator.c \
	src/gc-run/generator.h \
	src/gc-run/job.c \
	src/gc-run/job.h \
	src/gc-run/job_json.c \
	src/gc-run/kernels.c \
	src/gc-run/kernels.h \
	src/gc-run/main.c \
	src/gc-run/npy.c \
	src/gc-run/npy.h \
	src/gc-run/options.c \
	src/gc-run/options.h \
	src/gc-run/output.c \
	src/gc-run/output.h \
	src/gc-run/session.c \
	src/gc-run/session.h \
	src/gc-run/types.c \
	src/gc-run/types.h \
	$(NULL)
