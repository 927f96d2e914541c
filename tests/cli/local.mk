# SPDX-License-Identifier: MIT
# Golden tests of the programs: TEST.test is what is typed, TEST.out what it prints.

TEST_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/cli/run.sh --release=$(PACKAGE_VERSION)

check_PROGRAMS += tests/cli/cli-probe
tests_cli_cli_probe_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/src
tests_cli_cli_probe_SOURCES = tests/cli/cli-probe.c
tests_cli_cli_probe_LDADD = src/common/libcli.la lib/libglacier.la

cli_tests = \
	tests/cli/gc-asm/bad-define.test \
	tests/cli/gc-asm/bad-empty.test \
	tests/cli/gc-asm/bad-json.test \
	tests/cli/gc-asm/bad-level.test \
	tests/cli/gc-asm/bad-opcode-json.test \
	tests/cli/gc-asm/bad-opcode-stdin.test \
	tests/cli/gc-asm/bad-opcode.test \
	tests/cli/gc-asm/bad-target-json.test \
	tests/cli/gc-asm/bad-target.test \
	tests/cli/gc-asm/bad-three-errors.test \
	tests/cli/gc-asm/closed-stdout.test \
	tests/cli/gc-asm/define-wrong.test \
	tests/cli/gc-asm/depend-alone.test \
	tests/cli/gc-asm/depend-beside.test \
	tests/cli/gc-asm/depend-failure.test \
	tests/cli/gc-asm/depend-make.test \
	tests/cli/gc-asm/depend-quoting.test \
	tests/cli/gc-asm/depend-usage.test \
	tests/cli/gc-asm/emit-forms.test \
	tests/cli/gc-asm/emit-ir.test \
	tests/cli/gc-asm/fence-order.test \
	tests/cli/gc-asm/full-disk.test \
	tests/cli/gc-asm/garbage-on-stdin.test \
	tests/cli/gc-asm/help.test \
	tests/cli/gc-asm/include-itself.test \
	tests/cli/gc-asm/include.test \
	tests/cli/gc-asm/limits-device.test \
	tests/cli/gc-asm/limits-warnings.test \
	tests/cli/gc-asm/limits.test \
	tests/cli/gc-asm/list-opcodes.test \
	tests/cli/gc-asm/long-line.test \
	tests/cli/gc-asm/max-errors.test \
	tests/cli/gc-asm/missing-file.test \
	tests/cli/gc-asm/no-target-stdout.test \
	tests/cli/gc-asm/no-target.test \
	tests/cli/gc-asm/nothing-on-stdout.test \
	tests/cli/gc-asm/nothing-written.test \
	tests/cli/gc-asm/odd-bytes.test \
	tests/cli/gc-asm/one-name-a-target.test \
	tests/cli/gc-asm/order-twice.test \
	tests/cli/gc-asm/out-dir-protected.test \
	tests/cli/gc-asm/out-dir.test \
	tests/cli/gc-asm/output-and-several.test \
	tests/cli/gc-asm/output-is-input.test \
	tests/cli/gc-asm/page-sized.test \
	tests/cli/gc-asm/pipe-to-ptxas.test \
	tests/cli/gc-asm/pipe-to-spirv-val.test \
	tests/cli/gc-asm/ptx-to-stdout.test \
	tests/cli/gc-asm/reflect.test \
	tests/cli/gc-asm/refused-unused.test \
	tests/cli/gc-asm/response-file.test \
	tests/cli/gc-asm/same-bytes-anywhere.test \
	tests/cli/gc-asm/same-bytes-layout.test \
	tests/cli/gc-asm/same-name-twice.test \
	tests/cli/gc-asm/several-forms.test \
	tests/cli/gc-asm/shared-memory.test \
	tests/cli/gc-asm/stats.test \
	tests/cli/gc-asm/stdin-is-the-same.test \
	tests/cli/gc-asm/stdin-twice.test \
	tests/cli/gc-asm/stdin-without-name.test \
	tests/cli/gc-asm/stream.test \
	tests/cli/gc-asm/suffix-decides.test \
	tests/cli/gc-asm/target-twice.test \
	tests/cli/gc-asm/too-many-errors.test \
	tests/cli/gc-asm/tty-guard.test \
	tests/cli/gc-asm/unknown-option.test \
	tests/cli/gc-asm/unknown-suffix.test \
	tests/cli/gc-asm/unsupported-target.test \
	tests/cli/gc-asm/version.test \
	tests/cli/gc-run/argument-twice.test \
	tests/cli/gc-run/array-for-scalar.test \
	tests/cli/gc-run/array-large.test \
	tests/cli/gc-run/bad-generator.test \
	tests/cli/gc-run/bad-generator-length.test \
	tests/cli/gc-run/bad-generator-type.test \
	tests/cli/gc-run/bad-kernel.test \
	tests/cli/gc-run/check-clean.test \
	tests/cli/gc-run/check-job.test \
	tests/cli/gc-run/check-kernel-json.test \
	tests/cli/gc-run/check-no-input.test \
	tests/cli/gc-run/check-race.test \
	tests/cli/gc-run/check-timeout.test \
	tests/cli/gc-run/check-usage.test \
	tests/cli/gc-run/compare-and-device.test \
	tests/cli/gc-run/compare-bounds.test \
	tests/cli/gc-run/compare-devices.test \
	tests/cli/gc-run/compare-differs.test \
	tests/cli/gc-run/compare-same.test \
	tests/cli/gc-run/compare-usage.test \
	tests/cli/gc-run/cpu-bad-isa.test \
	tests/cli/gc-run/cpu-bad-subgroup.test \
	tests/cli/gc-run/cpu-options.test \
	tests/cli/gc-run/device-limits.test \
	tests/cli/gc-run/dry-run.test \
	tests/cli/gc-run/dump.test \
	tests/cli/gc-run/dump-unknown.test \
	tests/cli/gc-run/empty-array.test \
	tests/cli/gc-run/expect-differs.test \
	tests/cli/gc-run/expect-exit.test \
	tests/cli/gc-run/expect-tolerance.test \
	tests/cli/gc-run/expect-type.test \
	tests/cli/gc-run/extra-argument.test \
	tests/cli/gc-run/generator-f16.test \
	tests/cli/gc-run/generator-normal-integers.test \
	tests/cli/gc-run/generator-type.test \
	tests/cli/gc-run/generators.test \
	tests/cli/gc-run/groups-many.test \
	tests/cli/gc-run/groups-missing.test \
	tests/cli/gc-run/groups-zero.test \
	tests/cli/gc-run/help.test \
	tests/cli/gc-run/inputs-unchanged.test \
	tests/cli/gc-run/job.test \
	tests/cli/gc-run/job-and-more.test \
	tests/cli/gc-run/job-faults.test \
	tests/cli/gc-run/kernel-choice.test \
	tests/cli/gc-run/kernel-unknown.test \
	tests/cli/gc-run/list-devices.test \
	tests/cli/gc-run/literal-for-buffer.test \
	tests/cli/gc-run/literal-range.test \
	tests/cli/gc-run/missing-arguments.test \
	tests/cli/gc-run/missing-command-runs.test \
	tests/cli/gc-run/missing-file.test \
	tests/cli/gc-run/missing-output.test \
	tests/cli/gc-run/no-device.test \
	tests/cli/gc-run/no-kernel.test \
	tests/cli/gc-run/no-literal.test \
	tests/cli/gc-run/no-vulkan.test \
	tests/cli/gc-run/npy-cut.test \
	tests/cli/gc-run/npy-faults.test \
	tests/cli/gc-run/npy-stdin.test \
	tests/cli/gc-run/npy-types.test \
	tests/cli/gc-run/npy-versions.test \
	tests/cli/gc-run/out-of-bounds.test \
	tests/cli/gc-run/out-of-memory.test \
	tests/cli/gc-run/output-full-disk.test \
	tests/cli/gc-run/output-is-input.test \
	tests/cli/gc-run/output-no-folder.test \
	tests/cli/gc-run/output-shape.test \
	tests/cli/gc-run/output-suffix.test \
	tests/cli/gc-run/output-unknown.test \
	tests/cli/gc-run/raw.test \
	tests/cli/gc-run/raw-odd-size.test \
	tests/cli/gc-run/saxpy.test \
	tests/cli/gc-run/seed.test \
	tests/cli/gc-run/spv-faults.test \
	tests/cli/gc-run/spv-run.test \
	tests/cli/gc-run/spv-usage.test \
	tests/cli/gc-run/stream.test \
	tests/cli/gc-run/subgroup-refused.test \
	tests/cli/gc-run/text-output.test \
	tests/cli/gc-run/time-json.test \
	tests/cli/gc-run/timeout.test \
	tests/cli/gc-run/unknown-device.test \
	tests/cli/gc-run/unused-array.test \
	tests/cli/gc-run/version.test \
	tests/cli/gc-run/which-kernel.test \
	tests/cli/gc-run/wrong-type.test \
	tests/cli/gc-run/zero-filled.test \
	tests/cli/probe/ambiguous-option.test \
	tests/cli/probe/args-order.test \
	tests/cli/probe/args-response-empty.test \
	tests/cli/probe/args-response-folder.test \
	tests/cli/probe/args-response-loop.test \
	tests/cli/probe/args-response-option.test \
	tests/cli/probe/args-response-wide.test \
	tests/cli/probe/args-response.test \
	tests/cli/probe/bad-color.test \
	tests/cli/probe/bad-diagnostics.test \
	tests/cli/probe/bad-number.test \
	tests/cli/probe/bad-usage-json.test \
	tests/cli/probe/bench.test \
	tests/cli/probe/broken-pipe.test \
	tests/cli/probe/closed-descriptors.test \
	tests/cli/probe/closed-stdin.test \
	tests/cli/probe/closed-stdout.test \
	tests/cli/probe/color.test \
	tests/cli/probe/copy-device.test \
	tests/cli/probe/copy-empty.test \
	tests/cli/probe/copy-fifo.test \
	tests/cli/probe/copy-large.test \
	tests/cli/probe/copy-proc.test \
	tests/cli/probe/copy-stdin.test \
	tests/cli/probe/diagnostics-json-empty.test \
	tests/cli/probe/diagnostics-json-trouble.test \
	tests/cli/probe/diagnostics-json.test \
	tests/cli/probe/diagnostics-quiet.test \
	tests/cli/probe/diagnostics.test \
	tests/cli/probe/explain-json.test \
	tests/cli/probe/explain-pattern.test \
	tests/cli/probe/explain-unknown.test \
	tests/cli/probe/explain.test \
	tests/cli/probe/folder-as-input.test \
	tests/cli/probe/folder-as-output.test \
	tests/cli/probe/full-disk-file.test \
	tests/cli/probe/full-disk.test \
	tests/cli/probe/help.test \
	tests/cli/probe/input-shrinks.test \
	tests/cli/probe/json-is-valid.test \
	tests/cli/probe/missing-argument.test \
	tests/cli/probe/missing-file.test \
	tests/cli/probe/missing-letter-argument.test \
	tests/cli/probe/name-is-plain.test \
	tests/cli/probe/no-command.test \
	tests/cli/probe/option-is-plain.test \
	tests/cli/probe/output-is-input.test \
	tests/cli/probe/output-kept-on-failure.test \
	tests/cli/probe/output-long-name.test \
	tests/cli/probe/output-mode.test \
	tests/cli/probe/output-no-folder.test \
	tests/cli/probe/output-pair-full.test \
	tests/cli/probe/output-protected.test \
	tests/cli/probe/output-standard.test \
	tests/cli/probe/output-through-link.test \
	tests/cli/probe/output-twice.test \
	tests/cli/probe/progress.test \
	tests/cli/probe/several-missing.test \
	tests/cli/probe/signal-interrupt.test \
	tests/cli/probe/signal-terminate.test \
	tests/cli/probe/stats.test \
	tests/cli/probe/table-csv.test \
	tests/cli/probe/table-json.test \
	tests/cli/probe/table-text.test \
	tests/cli/probe/tty-guard.test \
	tests/cli/probe/unknown-in-cluster.test \
	tests/cli/probe/unknown-letter.test \
	tests/cli/probe/unknown-option.test \
	tests/cli/probe/unwanted-argument.test \
	tests/cli/probe/version-json.test \
	tests/cli/probe/version.test \
	tests/cli/probe/warnings-unknown.test \
	tests/cli/probe/warnings.test \
	$(NULL)
TESTS += $(cli_tests) tests/cli/manual.sh tests/cli/option-lists.sh
EXTRA_DIST += \
	$(cli_tests) \
	$(cli_tests:.test=.out) \
	tests/cli/manual.sh \
	tests/cli/option-lists.sh \
	tests/cli/run.sh \
	tests/data/README \
	tests/data/bad-big-endian.npy \
	tests/data/bad-bool.npy \
	tests/data/bad-complex.npy \
	tests/data/bad-fortran.npy \
	tests/data/bad-header.npy \
	tests/data/bad-huge.npy \
	tests/data/bad-negative.npy \
	tests/data/bad-number.npy \
	tests/data/bad-object.npy \
	tests/data/bad-structured.npy \
	tests/data/bad-trailing.npy \
	tests/data/bad-truncated.npy \
	tests/data/bad-twice.npy \
	tests/data/bad-version.npy \
	tests/data/good-endless.gasm \
	tests/data/good-f2.npy \
	tests/data/good-f4.npy \
	tests/data/good-f8.npy \
	tests/data/good-iota-f2.npy \
	tests/data/good-i1.npy \
	tests/data/good-i2.npy \
	tests/data/good-i4.npy \
	tests/data/good-i8.npy \
	tests/data/good-saxpy.gasm \
	tests/data/good-saxpy.npy \
	tests/data/good-two-kernels.gasm \
	tests/data/good-u1.npy \
	tests/data/good-u2.npy \
	tests/data/good-u4.npy \
	tests/data/good-u8.npy \
	tests/data/good-v2.npy \
	tests/data/good-v3.npy \
	tests/data/good-x.npy \
	tests/data/good-y.npy \
	tests/data/make-npy.py \
	tests/data/vulkan.sh \
	tests/data/bad-opcode.gasm \
	tests/data/bad-three-errors.gasm \
	tests/data/good-conformance.gasm \
	tests/data/good-vector_add.gasm \
	$(NULL)

# Rewrites every .out: read the diff before you commit it.
update-golden: all-am $(check_PROGRAMS)
	@for test in $(cli_tests); do \
	  $(SHELL) $(srcdir)/tests/cli/run.sh --update --release=$(PACKAGE_VERSION) $(srcdir)/$$test; \
	done

# The same tests with the programs that were installed.
installcheck-local: tests/cli/cli-probe
	@failed=; for test in $(cli_tests); do \
	  LD_LIBRARY_PATH=$(DESTDIR)$(libdir):$$LD_LIBRARY_PATH \
	  $(SHELL) $(srcdir)/tests/cli/run.sh --bindir=$(DESTDIR)$(bindir) \
	    --release=$(PACKAGE_VERSION) $(srcdir)/$$test; \
	  case $$? in 0|77) ;; *) failed="$$failed $$test" ;; esac; \
	done; \
	test -z "$$failed" || { echo "failed:$$failed"; exit 1; }
.PHONY: update-golden

# Inputs are mapped and used in place: counted in page faults.
check_PROGRAMS += tests/cli/page-faults
TESTS += tests/cli/page-faults
tests_cli_page_faults_SOURCES = tests/cli/page-faults.c
