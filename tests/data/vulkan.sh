# SPDX-License-Identifier: MIT
# Sourced by tests of what Vulkan devices alone say: skips where none is.
gc-run --list-devices | grep -q '^vulkan' || { echo "SKIP: there is no Vulkan device"; exit 77; }
