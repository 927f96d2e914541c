# SPDX-License-Identifier: MIT
# Sourced by tests that launch kernels: skips where no device is.
gc-run --list-devices | grep -q '^cpu\|^vulkan' || { echo "SKIP: there is no device"; exit 77; }
