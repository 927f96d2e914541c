# SPDX-License-Identifier: MIT
# libglacier: one convenience library with all symbols for the unit tests, and the
# shared library made of the same objects with only the public symbols left visible.

noinst_LTLIBRARIES += lib/libglacier-internal.la
lib_LTLIBRARIES += lib/libglacier.la
pkgconfigdir = $(libdir)/pkgconfig
pkgconfig_DATA = lib/libglacier.pc

include_HEADERS = include/glacier.h
glacierincludedir = $(includedir)/glacier
glacierinclude_HEADERS = \
	include/glacier/arena.h \
	include/glacier/base.h \
	include/glacier/buffer.h \
	include/glacier/build.h \
	include/glacier/cache.h \
	include/glacier/collective.h \
	include/glacier/device.h \
	include/glacier/diagnostic.h \
	include/glacier/dxbc.h \
	include/glacier/kernel.h \
	include/glacier/limits.h \
	include/glacier/literal.h \
	include/glacier/memory.h \
	include/glacier/opcode.h \
	include/glacier/spirv.h \
	include/glacier/stats.h \
	include/glacier/status.h \
	include/glacier/target.h \
	$(NULL)

lib_libglacier_internal_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib $(CJSON_CFLAGS)
lib_libglacier_internal_la_LIBADD = $(CJSON_LIBS) -lm
lib_libglacier_internal_la_SOURCES = \
	lib/arena/alloc.c \
	lib/arena/arena.h \
	lib/arena/buddy.c \
	lib/arena/budget.h \
	lib/arena/cache.c \
	lib/arena/cache.h \
	lib/arena/create.c \
	lib/arena/heap.h \
	lib/arena/leaves.c \
	lib/arena/report.c \
	lib/arena/quick.c \
	lib/arena/reservoir.c \
	lib/arena/reservoir.h \
	lib/arena/ring.c \
	lib/arena/ring.h \
	lib/arena/runs.c \
	lib/arena/runs.h \
	lib/arena/scratch.c \
	lib/arena/slab.c \
	lib/arena/slices.h \
	lib/arena/space.c \
	lib/arena/space.h \
	lib/arena/threads.c \
	lib/arena/threads.h \
	lib/arena/words.h \
	lib/base/buf.c \
	lib/base/buf.h \
	lib/base/bump.c \
	lib/base/bump.h \
	lib/base/codes.def \
	lib/base/cpu.c \
	lib/base/cpu.h \
	lib/base/cursor.h \
	lib/base/diag.c \
	lib/base/diag.h \
	lib/base/hash.c \
	lib/base/hash.h \
	lib/base/hist.c \
	lib/base/hist.h \
	lib/base/pool.c \
	lib/base/pool.h \
	lib/base/rng.h \
	lib/base/source.c \
	lib/base/source.h \
	lib/base/status.c \
	lib/base/watch.c \
	lib/base/watch.h \
	lib/collective/comm.c \
	lib/collective/comm.h \
	lib/collective/create.c \
	lib/collective/create.h \
	lib/collective/doubling.c \
	lib/collective/fold.c \
	lib/collective/frame.c \
	lib/collective/frame.h \
	lib/collective/group.c \
	lib/collective/group.h \
	lib/collective/group_link.c \
	lib/collective/group_shared.h \
	lib/collective/group_watch.c \
	lib/collective/model.c \
	lib/collective/port.c \
	lib/collective/reduce.c \
	lib/collective/reduce.h \
	lib/collective/reduce_element.h \
	lib/collective/reduce_loops.inc \
	lib/collective/ring.c \
	lib/collective/hello.c \
	lib/collective/hello.h \
	lib/collective/tcp.c \
	lib/collective/tcp.h \
	lib/collective/tcp_accept.c \
	lib/collective/tcp_address.c \
	lib/collective/tcp_control.c \
	lib/collective/tcp_join.c \
	lib/collective/wait.h \
	lib/compile/kernel.c \
	lib/compile/kernel.h \
	lib/compile/limits.c \
	lib/compile/limits.h \
	lib/compile/build.c \
	lib/compile/cache.c \
	lib/compile/dump.c \
	lib/compile/literal.c \
	lib/compile/module.c \
	lib/compile/module.h \
	lib/compile/reflect.c \
	lib/compile/stream.c \
	lib/device/array.c \
	lib/device/backing.c \
	lib/device/check.c \
	lib/device/check.h \
	lib/device/check_log.c \
	lib/device/check_site.c \
	lib/device/cpu.c \
	lib/device/cpu.h \
	lib/device/cpu_classify.c \
	lib/device/cpu_compile.c \
	lib/device/cpu_compile.h \
	lib/device/cpu_emit.c \
	lib/device/cpu_emit.h \
	lib/device/cpu_emit_flow.c \
	lib/device/cpu_emit_memory.c \
	lib/device/cpu_emit_watch.c \
	lib/device/cpu_launch.c \
	lib/device/cpu_launch.h \
	lib/device/cpu_math.h \
	lib/device/cpu_memory.h \
	lib/device/cpu_ops.def \
	lib/device/cpu_rows.c \
	lib/device/cpu_slots.c \
	lib/device/cuda.h \
	lib/device/cuda_array.c \
	lib/device/cuda_launch.c \
	lib/device/cuda_mapping.c \
	lib/device/cuda_open.c \
	lib/device/cuda_pipeline.c \
	lib/device/device.c \
	lib/device/device.h \
	lib/device/disk_cache.c \
	lib/device/disk_cache.h \
	lib/device/launch.c \
	lib/device/prebuilt.c \
	lib/device/prebuilt.h \
	lib/device/prebuilt_match.c \
	lib/device/prebuilt_ptx.c \
	lib/device/prebuilt_read.c \
	lib/device/queue.c \
	lib/device/variance.c \
	lib/dxbc/bitcode.c \
	lib/dxbc/bitcode.h \
	lib/dxbc/bitcode_names.c \
	lib/dxbc/codec.c \
	lib/dxbc/codec.h \
	lib/dxbc/container.c \
	lib/dxbc/debug.c \
	lib/dxbc/digest.c \
	lib/dxbc/document.c \
	lib/dxbc/dxbc.h \
	lib/dxbc/features.c \
	lib/dxbc/inflate.c \
	lib/dxbc/inflate.h \
	lib/dxbc/json.c \
	lib/dxbc/pack.c \
	lib/dxbc/pack.h \
	lib/dxbc/parts.c \
	lib/dxbc/program.c \
	lib/dxbc/psv0.c \
	lib/dxbc/rdat.c \
	lib/dxbc/rdef.c \
	lib/dxbc/rts0.c \
	lib/dxbc/signature.c \
	lib/dxbc/verify.c \
	lib/driver/crypto.c \
	lib/driver/crypto.h \
	lib/driver/cuda.c \
	lib/driver/cuda.h \
	lib/ir/backend.h \
	lib/ir/bound.c \
	lib/ir/bound.h \
	lib/ir/bound_rule.c \
	lib/ir/build.c \
	lib/ir/build.h \
	lib/ir/share.h \
	lib/ir/cfg_print.c \
	lib/ir/expand.c \
	lib/ir/expand.h \
	lib/ir/flow.c \
	lib/ir/fold.c \
	lib/ir/ir.h \
	lib/ir/ir_print.c \
	lib/ir/ir_print.h \
	lib/ir/json.h \
	lib/ir/json_keys.def \
	lib/ir/json_parse.c \
	lib/ir/json_place.c \
	lib/ir/json_print.c \
	lib/ir/json_scan.c \
	lib/ir/json_stmt.c \
	lib/ir/kernel.c \
	lib/ir/literal.c \
	lib/ir/live.c \
	lib/ir/live.h \
	lib/ir/lower.c \
	lib/ir/lower.h \
	lib/ir/lower_inst.c \
	lib/ir/lower_inst.h \
	lib/ir/lower_plain.c \
	lib/ir/math.c \
	lib/ir/math.h \
	lib/ir/math_f32.h \
	lib/ir/math_eval.h \
	lib/ir/math_ops.h \
	lib/ir/math_trig_f32.h \
	lib/ir/operand.c \
	lib/ir/op_info.c \
	lib/ir/ops.c \
	lib/ir/ops.def \
	lib/ir/ops.h \
	lib/ir/print.h \
	lib/ir/regs.c \
	lib/ir/ssa.c \
	lib/ir/ssa.h \
	lib/ir/stream.c \
	lib/ir/stream.h \
	lib/ir/stream_ir.c \
	lib/ir/target.c \
	lib/ir/target.h \
	lib/ir/text.h \
	lib/ir/text_decl.c \
	lib/ir/text_lex.h \
	lib/ir/text_print.c \
	lib/ir/text_stmt.c \
	lib/ir/tree.c \
	lib/ir/tree.h \
	lib/ir/type.h \
	lib/ir/uniform.c \
	lib/ir/uniform.h \
	lib/ir/unroll.c \
	lib/ir/unroll.h \
	lib/ir/unroll_whole.c \
	lib/ir/verify.c \
	lib/ir/verify.h \
	lib/ptx/copies.c \
	lib/ptx/debug.c \
	lib/ptx/emit.h \
	lib/ptx/flow.c \
	lib/ptx/isa.c \
	lib/ptx/memory.c \
	lib/ptx/module.c \
	lib/ptx/ptx.h \
	lib/ptx/sync.c \
	lib/ptx/value.c \
	lib/spirv/body.c \
	lib/spirv/enum.h \
	lib/spirv/flow.c \
	lib/spirv/flow.h \
	lib/spirv/interface.c \
	lib/spirv/interface.h \
	lib/spirv/grammar.c \
	lib/spirv/grammar.h \
	lib/spirv/grammar.inc \
	lib/spirv/grammar_enum.h \
	lib/spirv/module.c \
	lib/spirv/module.h \
	lib/spirv/object.c \
	lib/spirv/opcode.c \
	lib/spirv/opcode.h \
	lib/spirv/read.c \
	lib/spirv/read.h \
	lib/spirv/spirv.h \
	lib/spirv/text.c \
	lib/spirv/val/block.c \
	lib/spirv/val/branch.c \
	lib/spirv/val/built_in.c \
	lib/spirv/val/composite.c \
	lib/spirv/val/constant.c \
	lib/spirv/val/debug.c \
	lib/spirv/val/decoration.c \
	lib/spirv/val/entry.c \
	lib/spirv/val/flow.c \
	lib/spirv/val/function.c \
	lib/spirv/val/gate.c \
	lib/spirv/val/ids.c \
	lib/spirv/val/image.c \
	lib/spirv/val/limit.c \
	lib/spirv/val/location.c \
	lib/spirv/val/memory.c \
	lib/spirv/val/order.c \
	lib/spirv/val/reflection.c \
	lib/spirv/val/rules.c \
	lib/spirv/val/stage.c \
	lib/spirv/val/state.c \
	lib/spirv/val/structure.c \
	lib/spirv/val/sync.c \
	lib/spirv/val/type.c \
	lib/spirv/val/typing.c \
	lib/spirv/val/val.h \
	lib/spirv/val/variable.c \
	$(NULL)

# The Vulkan device needs headers alone: its library is opened when it is asked for.
VULKAN_SOURCES = \
	lib/device/vulkan.h \
	lib/device/vulkan_array.c \
	lib/device/vulkan_cache.c \
	lib/device/vulkan_launch.c \
	lib/device/vulkan_list.c \
	lib/device/vulkan_open.c \
	lib/device/vulkan_pipeline.c \
	lib/driver/vulkan.c \
	lib/driver/vulkan.h \
	$(NULL)
NO_VULKAN_SOURCES = lib/device/vulkan_none.c
if HAVE_VULKAN
lib_libglacier_internal_la_CPPFLAGS += $(VULKAN_CFLAGS)
lib_libglacier_internal_la_SOURCES += $(VULKAN_SOURCES)
EXTRA_DIST += $(NO_VULKAN_SOURCES)
else
lib_libglacier_internal_la_SOURCES += $(NO_VULKAN_SOURCES)
EXTRA_DIST += $(VULKAN_SOURCES)
endif

# What runs kernels on the processor; its loops over lanes once for each level of lib/base/cpu.h.
noinst_LTLIBRARIES += lib/libcpu-baseline.la
lib_libcpu_baseline_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib -DLEVEL=baseline
lib_libcpu_baseline_la_CFLAGS = $(AM_CFLAGS) $(LANES_CFLAGS)
lib_libcpu_baseline_la_SOURCES = lib/device/cpu_lanes.c lib/device/cpu_memory.c lib/device/cpu_run.c
lib_libglacier_internal_la_LIBADD += lib/libcpu-baseline.la
if X86_64
noinst_LTLIBRARIES += lib/libcpu-v3.la lib/libcpu-v4.la
lib_libcpu_v3_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib -DLEVEL=v3
lib_libcpu_v3_la_CFLAGS = $(AM_CFLAGS) $(LANES_CFLAGS) -march=x86-64-v3
lib_libcpu_v3_la_SOURCES = lib/device/cpu_lanes.c
lib_libcpu_v4_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/lib -DLEVEL=v4
lib_libcpu_v4_la_CFLAGS = $(AM_CFLAGS) $(LANES_CFLAGS) -march=x86-64-v4 -mprefer-vector-width=512
lib_libcpu_v4_la_SOURCES = lib/device/cpu_lanes.c
lib_libglacier_internal_la_LIBADD += lib/libcpu-v3.la lib/libcpu-v4.la
endif

lib_libglacier_la_SOURCES =
lib_libglacier_la_LIBADD = lib/libglacier-internal.la
lib_libglacier_la_LDFLAGS = $(AM_LDFLAGS) -version-info 0:0:0
EXTRA_lib_libglacier_la_DEPENDENCIES = lib/libglacier.map
if VERSION_SCRIPT
lib_libglacier_la_LDFLAGS += -Wl,--version-script=$(srcdir)/lib/libglacier.map
endif
EXTRA_DIST += lib/libglacier.map
