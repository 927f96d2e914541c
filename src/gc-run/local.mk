# SPDX-License-Identifier: MIT
# gc-run: kernels on devices.

bin_PROGRAMS += src/gc-run/gc-run

src_gc_run_gc_run_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src -I$(top_builddir)/src/gc-run $(CJSON_CFLAGS)
src_gc_run_gc_run_LDADD = src/common/libcli.la lib/libglacier.la $(CJSON_LIBS) -lm
src_gc_run_gc_run_SOURCES = \
	src/gc-run/arguments.c \
	src/gc-run/arguments.h \
	src/gc-run/bench.c \
	src/gc-run/bench.h \
	src/gc-run/bench_chart.c \
	src/gc-run/bench_kernels.c \
	src/gc-run/bench_print.c \
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

# What --bench measures is built in, from the files that people read.
BENCH_KERNELS = \
	bench/kernels/empty.gasm \
	bench/kernels/reduce_stride.gasm \
	examples/block_reduce.gasm \
	examples/logistic_map.gasm \
	examples/saxpy.gasm \
	examples/vector_add.gasm \
	$(NULL)
nodist_src_gc_run_gc_run_SOURCES = src/gc-run/bench_sources.h
BUILT_SOURCES += src/gc-run/bench_sources.h
CLEANFILES += src/gc-run/bench_sources.h
EXTRA_DIST += bench/kernels/empty.gasm bench/kernels/reduce_stride.gasm src/gc-run/embed.awk
src/gc-run/bench_sources.h: src/gc-run/embed.awk $(BENCH_KERNELS)
	$(AM_V_GEN)$(MKDIR_P) src/gc-run && cd $(srcdir) && \
		$(AWK) -f src/gc-run/embed.awk $(BENCH_KERNELS) >$(abs_top_builddir)/$@.tmp && \
		mv $(abs_top_builddir)/$@.tmp $(abs_top_builddir)/$@
src/gc-run/gc_run-bench_kernels.$(OBJEXT): src/gc-run/bench_sources.h
