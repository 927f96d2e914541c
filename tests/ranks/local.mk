# SPDX-License-Identifier: MIT
# Ranks that are processes: over shared memory and TCP, started by gc-allreduce and by others.

RANK_TESTS = \
	tests/ranks/failure.sh \
	tests/ranks/files.sh \
	tests/ranks/mpirun.sh \
	tests/ranks/namespace.sh \
	tests/ranks/relay.sh \
	tests/ranks/security.sh \
	tests/ranks/steps.sh \
	tests/ranks/steps_tcp.sh \
	tests/ranks/values.sh \
	$(NULL)
EXTRA_DIST += $(RANK_TESTS) tests/ranks/lib.sh tests/ranks/relay_long.sh tests/ranks/steps_long.sh tests/ranks/values_long.sh
TESTS += $(RANK_TESTS)
CHECK_LONG += tests/ranks/relay_long.sh:400 tests/ranks/steps_long.sh:500 tests/ranks/values_long.sh:900

# A stranger, and a relay that does things to a connection.
check_PROGRAMS += tests/ranks/relay tests/ranks/stranger
tests_ranks_relay_SOURCES = tests/ranks/relay.c
tests_ranks_stranger_SOURCES = tests/ranks/stranger.c

# The program with a hook at each step of the protocol. libcli would bring the shared library, which the linker cannot wrap.
check_PROGRAMS += tests/ranks/steps
STEP_CALLS = -Wl,--wrap=glc_acceptor_start -Wl,--wrap=glc_acceptor_stop -Wl,--wrap=glc_group_arrive \
	-Wl,--wrap=glc_group_copy -Wl,--wrap=glc_group_create_shared -Wl,--wrap=glc_group_destroy \
	-Wl,--wrap=glc_group_grow -Wl,--wrap=glc_group_locate -Wl,--wrap=glc_group_map -Wl,--wrap=glc_group_watch \
	-Wl,--wrap=glc_header_differs -Wl,--wrap=glc_hello_mac -Wl,--wrap=glc_hello_proves \
	-Wl,--wrap=glc_port_begin_header -Wl,--wrap=glc_port_begin_recv -Wl,--wrap=glc_port_begin_send \
	-Wl,--wrap=glc_port_recv -Wl,--wrap=glc_port_send -Wl,--wrap=glc_socket_tune -Wl,--wrap=glc_tcp_control_start \
	-Wl,--wrap=glc_tcp_control_stop -Wl,--wrap=glc_tcp_join
tests_ranks_steps_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib -I$(top_srcdir)/src $(CJSON_CFLAGS)
tests_ranks_steps_LDADD = lib/libglacier-internal.la $(CJSON_LIBS) -lm
tests_ranks_steps_LDFLAGS = $(AM_LDFLAGS) $(STEP_CALLS)
tests_ranks_steps_SOURCES = tests/ranks/steps.c $(src_gc_allreduce_gc_allreduce_SOURCES) $(src_common_libcli_la_SOURCES)
