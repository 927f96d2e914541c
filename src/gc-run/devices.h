/* SPDX-License-Identifier: MIT */
/* Which devices there are, and which one a name means. */
#ifndef GC_RUN_DEVICES_H
#define GC_RUN_DEVICES_H

#include "options.h"

/* All of them; free it. */
struct glacier_device_info *devices_find(size_t *count);

/* --list-devices */
void devices_list(void);

/* What "auto" means here: the first that is hardware, else the processor, else the first. Ends the process when there is none. */
void devices_choose(struct device_name *device);

/* "cpu", "cuda:0" */
void device_spell(enum glacier_device_kind kind, uint32_t index, char *text, size_t bytes);

#endif
