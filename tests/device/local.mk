# SPDX-License-Identifier: MIT
# Devices through the public calls. A device that is not here: 77, with the reason.

EXTRA_DIST += tests/device/conformance.sh tests/device/bounds_values.sh tests/device/check_clean.sh tests/device/examples_cpu.sh tests/device/launch_cuda.sh tests/device/launch_example.inc tests/device/launch_vulkan.sh tests/device/vk.h tests/device/vulkan_absent.sh tests/device/vulkan_valid.sh
DEVICE_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib $(VULKAN_CFLAGS)

if HAVE_VULKAN
check_PROGRAMS += tests/device/prebuilt tests/device/vulkan_arrays tests/device/vulkan_launches tests/device/vulkan_refused
TESTS += tests/device/prebuilt tests/device/vulkan_arrays tests/device/vulkan_launches tests/device/vulkan_refused
tests_device_prebuilt_CPPFLAGS = $(DEVICE_CPPFLAGS)
tests_device_prebuilt_SOURCES = tests/device/prebuilt.c
tests_device_prebuilt_LDADD = lib/libglacier-internal.la
# They look into the device as well, to see what it calls and to make its calls fail.
tests_device_vulkan_arrays_CPPFLAGS = $(DEVICE_CPPFLAGS)
tests_device_vulkan_arrays_SOURCES = tests/device/vulkan_arrays.c
tests_device_vulkan_arrays_LDADD = lib/libglacier-internal.la
tests_device_vulkan_launches_CPPFLAGS = $(DEVICE_CPPFLAGS)
tests_device_vulkan_launches_SOURCES = tests/device/vulkan_launches.c
tests_device_vulkan_launches_LDADD = lib/libglacier-internal.la
tests_device_vulkan_refused_CPPFLAGS = $(DEVICE_CPPFLAGS)
tests_device_vulkan_refused_SOURCES = tests/device/vulkan_refused.c
tests_device_vulkan_refused_LDADD = lib/libglacier-internal.la
endif

check_PROGRAMS += tests/device/examples
TESTS += tests/device/examples tests/device/examples_cpu.sh
tests_device_examples_SOURCES = tests/device/examples.c tests/exec/examples.h tests/exec/examples_cases.c
tests_device_examples_LDADD = lib/libglacier.la -lm

# Arenas over memory of a device's.
check_PROGRAMS += tests/device/backing
TESTS += tests/device/arena_cuda.sh tests/device/backing tests/device/backing_cuda.sh tests/device/backing_vulkan.sh tests/device/bench_backing.sh
EXTRA_DIST += tests/device/arena_cuda.sh tests/device/backing_cuda.sh tests/device/backing_vulkan.sh tests/device/bench_backing.sh
tests_device_backing_SOURCES = tests/device/backing.c
tests_device_backing_LDADD = lib/libglacier.la

# Watching accesses: what is planted is told, and what is right is not.
check_PROGRAMS += tests/device/check
TESTS += tests/device/conformance.sh tests/device/check tests/device/check_clean.sh
tests_device_check_SOURCES = tests/device/check.c
tests_device_check_LDADD = lib/libglacier.la

check_PROGRAMS += tests/device/bounds
TESTS += tests/device/bounds tests/device/bounds_values.sh
tests_device_bounds_SOURCES = tests/device/bounds.c
tests_device_bounds_LDADD = lib/libglacier.la -lm

# Its own device file comes before the library's, which then is not taken.
check_PROGRAMS += tests/device/no_vulkan
TESTS += tests/device/no_vulkan tests/device/launch_cuda.sh tests/device/launch_vulkan.sh tests/device/vulkan_absent.sh tests/device/vulkan_valid.sh
tests_device_no_vulkan_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib
tests_device_no_vulkan_SOURCES = tests/device/no_vulkan.c lib/device/vulkan_none.c
tests_device_no_vulkan_LDADD = lib/libglacier-internal.la

# A driver of the tests' own comes before the library's in the same way: runs without a GPU.
check_PROGRAMS += tests/device/cuda_backing tests/device/cuda_device tests/device/cuda_fake
TESTS += tests/device/bench.sh tests/device/cache_folder.sh tests/device/cuda_absent.sh tests/device/cuda_backing tests/device/cuda_device tests/device/cuda_fake tests/device/examples_cuda.sh
EXTRA_DIST += tests/device/bench.sh tests/device/cache_folder.sh tests/device/cuda_absent.sh tests/device/examples_cuda.sh tests/device/gpu.sh
tests_device_cuda_backing_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib
tests_device_cuda_backing_SOURCES = tests/device/cuda_backing.c tests/device/fake_cuda.c tests/device/fake_cuda.h
tests_device_cuda_backing_LDADD = lib/libglacier-internal.la
tests_device_cuda_device_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib
tests_device_cuda_device_SOURCES = tests/device/cuda_device.c
tests_device_cuda_device_LDADD = lib/libglacier-internal.la
tests_device_cuda_fake_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib
tests_device_cuda_fake_SOURCES = tests/device/cuda_fake.c tests/device/fake_cuda.c tests/device/fake_cuda.h
tests_device_cuda_fake_LDADD = lib/libglacier-internal.la
