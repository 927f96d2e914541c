/* SPDX-License-Identifier: MIT */
/* What every public header needs: export mark, C++ guards, version. */
#ifndef GLACIER_BASE_H
#define GLACIER_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GLACIER_API __attribute__((visibility("default")))

#ifdef __cplusplus
#define GLACIER_BEGIN extern "C" {
#define GLACIER_END }
#else
#define GLACIER_BEGIN
#define GLACIER_END
#endif

#define GLACIER_VERSION_MAJOR 0
#define GLACIER_VERSION_MINOR 1
#define GLACIER_VERSION_PATCH 0

/* An address in some device's memory; never dereferenced by the library's allocators. */
typedef uint64_t glacier_addr;

GLACIER_BEGIN

/* The version of the library that is loaded, "0.1.0"; a static string. Any thread. Since: 0.1 */
GLACIER_API const char *glacier_version(void);

GLACIER_END

#endif
