/* SPDX-License-Identifier: MIT */
/*
 * libglacier: assemble, check and run GPU compute kernels.
 *
 * One header an area; this one includes them all. The library never prints,
 * never exits and never reads the environment.
 */
#ifndef GLACIER_H
#define GLACIER_H

#include <glacier/arena.h>
#include <glacier/base.h>
#include <glacier/buffer.h>
#include <glacier/build.h>
#include <glacier/cache.h>
#include <glacier/collective.h>
#include <glacier/device.h>
#include <glacier/diagnostic.h>
#include <glacier/dxbc.h>
#include <glacier/kernel.h>
#include <glacier/limits.h>
#include <glacier/literal.h>
#include <glacier/memory.h>
#include <glacier/opcode.h>
#include <glacier/spirv.h>
#include <glacier/stats.h>
#include <glacier/status.h>
#include <glacier/target.h>

#endif
