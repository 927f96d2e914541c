/* SPDX-License-Identifier: MIT */
/* What a module is made of, for the files that implement its entry points. */
#ifndef GLC_COMPILE_MODULE_H
#define GLC_COMPILE_MODULE_H

#include <glacier/kernel.h>

#include "base/watch.h"
#include "ir/json.h"
#include "ir/text.h"

struct glacier_module {
	struct glacier_memory own, *memory;
	struct glc_op_index opcodes;
	struct glc_tree tree;
	struct glc_sources sources;
	struct glc_source_map map;
	struct glc_places places;   /* where positions are paths: in JSON, in what programs build */
	struct glc_ir ir;
	struct glacier_read_options options;
	bool filled, built;         /* read without errors; ir is there */
	bool unrolls;               /* for tests: the processor runs loops as PTX has them */
};

/*
 * The caller's sink, seen through one that knows where positions lie and remembers the
 * first error's status, which is what the call returns.
 */
struct glc_relay {
	struct glacier_diag diag;
	struct glacier_diag *outer;
};

void glc_relay_begin(struct glc_relay *relay, struct glacier_diag *outer, const struct glc_source_map *map);
enum glacier_status glc_relay_end(struct glc_relay *relay);

/* What every front end begins with; false, reported, without memory. */
bool glc_module_begin(struct glacier_module *module, struct glc_relay *relay, struct glacier_diag *diag);
/*
 * And what it ends with: the tree is complete, or tree.failed is set; makes checked IR of it.
 * watch: since the parsing began. other_bytes: of the input, when it is no text.
 */
enum glacier_status glc_module_end(struct glacier_module *module, struct glc_relay *relay,
				   const struct glacier_read_options *options,
				   const struct glc_watch *watch, size_t other_bytes);

/*
 * The module's IR, optimized: there since it was read, or made now. Call it before a mark
 * is set in the module's memory. NULL, reported, when memory runs out.
 */
const struct glc_ir *glc_module_ir(struct glacier_module *module, struct glacier_diag *diag);

/*
 * The IR of a module that was read. The module keeps the optimized one, made while it was
 * checked; the plain one is made from the tree again when it is asked for. Prepared is what
 * the target's back end is given. They lie in the module's memory, behind the caller's mark.
 */
enum glacier_status glc_module_plain(struct glacier_module *module, struct glc_ir *out,
				     struct glacier_diag *diag);
enum glacier_status glc_module_prepare(struct glacier_module *module, const struct glacier_target *target,
				       bool optimize, struct glc_ir *out, struct glacier_diag *diag);

#endif
