# SPDX-License-Identifier: MIT
# Plain C programs that exit 0 when all went well: threads (they run under TSan, where
# Criterion does not), and memory that runs out.

STRESS_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib

check_PROGRAMS += tests/stress/pool tests/stress/no_memory tests/stress/math_f32
TESTS += tests/stress/pool tests/stress/no_memory tests/stress/math_f32

tests_stress_pool_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_pool_LDADD = lib/libglacier-internal.la
tests_stress_pool_SOURCES = tests/stress/pool.c tests/stress/stress.h

# The linker hands the library's calls to the test: sanitizers keep their own malloc.
tests_stress_no_memory_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_no_memory_LDADD = lib/libglacier-internal.la
tests_stress_no_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc -Wl,--wrap=realloc \
	-Wl,--wrap=aligned_alloc -Wl,--wrap=free -Wl,--wrap=pthread_create -Wl,--wrap=pthread_join
tests_stress_no_memory_SOURCES = tests/stress/no_memory.c tests/stress/stress.h

check_PROGRAMS += tests/stress/no_malloc
TESTS += tests/stress/no_malloc.sh
EXTRA_DIST += tests/stress/no_malloc.sh
tests_stress_no_malloc_LDADD = lib/libglacier-internal.la
tests_stress_no_malloc_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc -Wl,--wrap=calloc \
	-Wl,--wrap=realloc -Wl,--wrap=aligned_alloc
tests_stress_no_malloc_SOURCES = tests/stress/no_malloc.c tests/stress/stress.h

# Header only: the functions are computed here, not emitted.
CHECK_LONG += tests/stress/math_f32_long.sh:600
EXTRA_DIST += tests/stress/math_f32_long.sh maint/derive-math-f32.py
tests_stress_math_f32_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_math_f32_LDADD = -lm
tests_stress_math_f32_SOURCES = tests/stress/math_f32.c lib/ir/math_eval.h lib/ir/math_f32.h lib/ir/math_trig_f32.h

# PTX from IR made by hand: ptxas judges it, where there is one.
check_PROGRAMS += tests/stress/ptx_ops tests/stress/ptx_flow tests/stress/ptx_limits
TESTS += tests/stress/ptx_ops tests/stress/ptx_flow tests/stress/ptx_limits
PTX_SUPPORT = tests/stress/ptx_make.c tests/stress/ptx.h tests/stress/stress.h
tests_stress_ptx_ops_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_ptx_ops_LDADD = lib/libglacier-internal.la
tests_stress_ptx_ops_SOURCES = tests/stress/ptx_ops.c $(PTX_SUPPORT)
tests_stress_ptx_flow_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_ptx_flow_LDADD = lib/libglacier-internal.la
tests_stress_ptx_flow_SOURCES = tests/stress/ptx_flow.c $(PTX_SUPPORT)
tests_stress_ptx_limits_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_ptx_limits_LDADD = lib/libglacier-internal.la
tests_stress_ptx_limits_SOURCES = tests/stress/ptx_limits.c $(PTX_SUPPORT)

# The three forms of a module, of every example and of what the fuzz targets begin with.
check_PROGRAMS += tests/stress/round_trip
TESTS += tests/stress/round_trip
tests_stress_round_trip_LDADD = lib/libglacier.la
tests_stress_round_trip_SOURCES = tests/stress/round_trip.c tests/stress/stress.h

check_PROGRAMS += tests/stress/compile_cache
TESTS += tests/stress/compile_cache
tests_stress_compile_cache_LDADD = lib/libglacier.la
tests_stress_compile_cache_SOURCES = tests/stress/compile_cache.c tests/stress/stress.h

# What callgrind counts, and what ends at a limit.
check_PROGRAMS += tests/stress/linear-work
TESTS += tests/stress/linear.sh
EXTRA_DIST += tests/stress/linear.sh
tests_stress_linear_work_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_linear_work_LDADD = lib/libglacier-internal.la
tests_stress_linear_work_SOURCES = tests/stress/linear-work.c

check_PROGRAMS += tests/stress/broken_input
TESTS += tests/stress/broken_input
tests_stress_broken_input_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_broken_input_LDADD = lib/libglacier-internal.la
tests_stress_broken_input_SOURCES = tests/stress/broken_input.c tests/stress/stress.h

# The processor's device by the public calls.
check_PROGRAMS += tests/stress/device_cpu
TESTS += tests/stress/device_cpu
tests_stress_device_cpu_LDADD = lib/libglacier.la
tests_stress_device_cpu_SOURCES = tests/stress/device_cpu.c tests/stress/stress.h

check_PROGRAMS += tests/stress/device_no_memory
TESTS += tests/stress/device_no_memory
tests_stress_device_no_memory_CPPFLAGS = $(STRESS_CPPFLAGS) $(CJSON_CFLAGS)
tests_stress_device_no_memory_LDADD = lib/libglacier-internal.la
tests_stress_device_no_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc -Wl,--wrap=calloc \
	-Wl,--wrap=realloc -Wl,--wrap=aligned_alloc -Wl,--wrap=free
tests_stress_device_no_memory_SOURCES = tests/stress/device_no_memory.c tests/stress/stress.h

# Collectives: groups of threads, against values computed element by element.
check_PROGRAMS += tests/stress/allreduce
TESTS += tests/stress/allreduce
tests_stress_allreduce_LDADD = lib/libglacier.la -lm
tests_stress_allreduce_SOURCES = tests/stress/allreduce.c tests/stress/allreduce_values.h tests/stress/stress.h

check_PROGRAMS += tests/stress/allreduce_faults
TESTS += tests/stress/allreduce_faults
tests_stress_allreduce_faults_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_allreduce_faults_LDADD = lib/libglacier-internal.la -lm
tests_stress_allreduce_faults_SOURCES = tests/stress/allreduce_faults.c tests/stress/allreduce_values.h tests/stress/stress.h

CHECK_LONG += tests/stress/allreduce_long.sh:600
EXTRA_DIST += tests/stress/allreduce_long.sh

check_PROGRAMS += tests/stress/allreduce_shared
TESTS += tests/stress/allreduce_shared
tests_stress_allreduce_shared_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_allreduce_shared_LDADD = lib/libglacier-internal.la -lm
tests_stress_allreduce_shared_SOURCES = tests/stress/allreduce_shared.c tests/stress/allreduce_values.h tests/stress/stress.h

check_PROGRAMS += tests/stress/allreduce_tcp
TESTS += tests/stress/allreduce_tcp
tests_stress_allreduce_tcp_LDADD = lib/libglacier.la -lm
tests_stress_allreduce_tcp_SOURCES = tests/stress/allreduce_tcp.c tests/stress/allreduce_values.h tests/stress/stress.h

# The cache folder under many processes, some of them killed.
check_PROGRAMS += tests/stress/disk_cache
TESTS += tests/stress/disk_cache
tests_stress_disk_cache_CPPFLAGS = $(STRESS_CPPFLAGS)
tests_stress_disk_cache_LDADD = lib/libglacier-internal.la
tests_stress_disk_cache_SOURCES = tests/stress/disk_cache.c
