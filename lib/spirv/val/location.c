/* SPDX-License-Identifier: MIT */
/*
 * Locations of inputs and outputs: who must have one, and that no two take the same
 * component. How much a type takes follows from its parts, which come before it.
 *
 * Source: Vulkan, "Location and Component Assignment"; StandaloneSpirv-Location-04916 to -04919, Flat-04744.
 */
#include "spirv/val/val.h"

enum { PER_LOCATION = 4, MOST = 4096 * PER_LOCATION };

/* What a type takes. */
struct taken {
	uint32_t locations;      /* at most MOST */
	uint32_t components;     /* of its one location; 0: all of all */
	bool impossible;         /* a part of it cannot have a location */
	bool placed;             /* a member of it, or of a part, has one of its own */
};

struct locations {
	struct val *v;
	struct taken *types;     /* by id */
	uint32_t *seen;          /* by id: the last entry point that lists it + 1; before 1.4 it may twice */
	uint64_t sets[3][MOST / 64];   /* components: inputs, outputs, outputs with Index 1 */
};

static uint32_t at_most(uint64_t n)
{
	return n < MOST ? (uint32_t)n : MOST;
}

static uint32_t length_of(const struct val *v, const spv_inst *array)
{
	uint32_t count;

	return array->op == OpTypeArray && spv_constant(v, word(v, array, 3), &count) ? count : 1;
}

static struct taken take(const struct locations *l, const spv_inst *inst)
{
	const struct val *v = l->v;
	const struct spv_type *t = type(v, inst->id);
	const struct taken *part = inst->words > 2 && t->inner ? &l->types[t->inner] : NULL;
	struct taken all = {0};

	if (t->mask & (T_INT_LIKE | T_FLOAT_LIKE))
		return (struct taken){.locations = t->width == 64 && t->dim > 2 ? 2 : 1, .components = t->dim * (t->width == 64 ? 2u : 1u)};
	switch (inst->op) {
	case OpTypeMatrix:
		return (struct taken){.locations = t->dim * part->locations, .impossible = part->impossible};
	case OpTypeArray:
		all = *part;
		all.locations = at_most((uint64_t)length_of(v, inst) * part->locations);
		return all;
	case OpTypeStruct:
		all.placed = decorated(v, inst->id, DecorationLocation);
		for (uint32_t i = 2; i < inst->words; i++) {
			part = &l->types[word(v, inst, i)];
			all.locations = at_most((uint64_t)all.locations + part->locations);
			all.impossible |= part->impossible;
			all.placed |= part->placed;
		}
		return all;
	case OpTypePointer:
		return (struct taken){.locations = 1, .components = 2, .impossible = word(v, inst, 2) != StorageClassPhysicalStorageBuffer};
	default:
		return (struct taken){.impossible = true};
	}
}

/* Once a module that needs it. */
static struct locations *begin(struct val *v)
{
	struct locations *l = glc_bump(v->memory, sizeof *l);
	struct taken *types = glc_bump_zero(v->memory, ((size_t)v->module.id_count + 1) * sizeof *types);
	uint32_t *seen = glc_bump_zero(v->memory, ((size_t)v->module.id_count + 1) * sizeof *seen);

	if (!l || !types || !seen) {
		v->out_of_memory = true;
		return NULL;
	}
	l->v = v;
	l->types = types;
	l->seen = seen;
	for (uint32_t i = v->types_from; i < v->types_to; i++) {
		const spv_inst *inst = &v->module.insts[i];

		if (is_type_op(inst->op) && inst->id)
			types[inst->id] = take(l, inst);
	}
	return l;
}

/* --- One variable -------------------------------------------------------- */

/* What its decorations say. */
struct place {
	const spv_inst *entry;
	uint32_t id, location, component, index;
	bool has_location, has_component, has_index, built_in, patch, per_vertex, differs;
};

static void note(const struct val *v, const struct spv_decoration *d, uint32_t *value, bool *has, bool *differs)
{
	*differs |= *has && *value != param(v, d, 0);
	*value = *has ? *value : param(v, d, 0);
	*has = true;
}

static void read_place(const struct val *v, struct place *p)
{
	struct spv_decoration_walk walk = spv_decorations(v, p->id);
	const struct spv_decoration *d;

	while ((d = spv_next_decoration(v, &walk)))
		switch (d->kind) {
		case DecorationLocation: note(v, d, &p->location, &p->has_location, &p->differs); break;
		case DecorationComponent: note(v, d, &p->component, &p->has_component, &p->differs); break;
		case DecorationIndex: note(v, d, &p->index, &p->has_index, &p->differs); break;
		case DecorationBuiltIn: p->built_in = true; break;
		case DecorationPatch: p->patch = true; break;
		case DecorationPerVertexKHR: p->per_vertex = true; break;
		default: break;
		}
}

static bool fails(struct val *v, const struct place *p, const char *how, const char *clause)
{
	return SPV_FAIL(v, p->entry, LOCATION, clause, spv_id(&v->module, p->id), how);
}

/* Arrays of vertices: each element is one vertex' own. */
static bool is_per_vertex(const struct place *p, uint32_t model, bool output)
{
	switch (model) {
	case ExecutionModelTessellationControl: return !p->patch;
	case ExecutionModelTessellationEvaluation: return !output && !p->patch;
	case ExecutionModelGeometry: return !output;
	case ExecutionModelFragment: return !output && p->per_vertex;
	default: return false;
	}
}

static bool mark(struct locations *l, const struct place *p, uint64_t *set, uint32_t location, uint32_t component,
		 const struct taken *t)
{
	uint32_t start = location * PER_LOCATION, end;

	/* Far above what any device has. spirv-val 2023.1 lets the product wrap. */
	if (start >= MOST || (!l->v->compat && location >= MOST / PER_LOCATION))
		return true;
	end = start + t->locations * PER_LOCATION;
	if (t->components) {
		end = start + component % MOST + t->components;
		start += component % MOST;
	}
	for (uint32_t i = start; i < end && i < MOST; i++) {
		if (set[i / 64] >> i % 64 & 1)
			return SPV_FAIL(l->v, p->entry, LOCATION_TAKEN, NULL, i / PER_LOCATION, i % PER_LOCATION, spv_id(&l->v->module, p->id));
		set[i / 64] |= UINT64_C(1) << i % 64;
	}
	return true;
}

static bool check_taken(struct val *v, const struct place *p, const struct taken *t)
{
	if (t->placed)
		return fails(v, p, "has a location, and so has a member", "VUID-StandaloneSpirv-Location-04918");
	return !t->impossible || v->compat || fails(v, p, "has a type that takes no location", NULL);
}

/* The variable has a location: element by element. */
static bool place_whole(struct locations *l, const struct place *p, uint64_t *set, uint32_t id)
{
	const struct val *v = l->v;
	uint64_t count = 1;

	if (!check_taken(l->v, p, &l->types[id]))
		return false;
	/* spirv-val 2023.1 looks into the outermost array alone. */
	for (bool outer = true; is(v, id, T_ARRAY) && (outer || !v->compat); outer = false) {
		count = at_most(count * length_of(v, def(v, id)));
		id = type(v, id)->inner;
	}
	for (uint32_t i = 0; i < count && l->types[id].locations; i++)
		if (!mark(l, p, set, p->location + i * l->types[id].locations, p->component, &l->types[id]))
			return false;
	return true;
}

/* A block without a location: each member has its own. */
static bool place_members(struct locations *l, struct place *p, uint64_t *set, const spv_inst *block)
{
	struct val *v = l->v;
	uint32_t count = member_count(block);
	struct glc_mark memory = glc_bump_mark(v->memory);
	struct place *members = glc_bump_zero(v->memory, count * sizeof *members);
	struct spv_decoration_walk walk = spv_decorations(v, block->id);
	const struct spv_decoration *d;
	bool good = true;

	if (!members) {
		v->out_of_memory = true;
		return false;
	}
	while ((d = spv_next_decoration(v, &walk))) {
		struct place *m = walk.member < count ? &members[walk.member] : NULL;

		if (m && d->kind == DecorationLocation)
			note(v, d, &m->location, &m->has_location, &m->differs);
		else if (m && d->kind == DecorationComponent)
			note(v, d, &m->component, &m->has_component, &m->differs);
	}
	for (uint32_t i = 0; i < count && good; i++) {
		const struct taken *t = &l->types[word(v, block, 2 + i)];

		if (members[i].differs)
			good = fails(v, p, "has a member with two locations, or two components", NULL);
		else if (!members[i].has_location)
			good = fails(v, p, "has a member without a location", "VUID-StandaloneSpirv-Location-04919");
		else
			good = check_taken(v, p, t) && mark(l, p, set, members[i].location, members[i].component, t);
	}
	glc_bump_release(v->memory, memory);
	return good;
}

static bool check_variable(struct locations *l, const spv_inst *entry, const spv_inst *variable)
{
	struct val *v = l->v;
	struct place p = {.entry = entry, .id = variable->id};
	uint32_t model = word(v, entry, 1), id = type(v, variable->type)->inner;
	bool output = word(v, variable, 3) == StorageClassOutput;
	uint64_t *set;

	read_place(v, &p);
	if (p.built_in)
		return true;
	if (p.differs)
		return fails(v, &p, "has two locations, two components or two indices", NULL);
	if (p.has_index && !(output && model == ExecutionModelFragment))
		return fails(v, &p, "has an Index and is no output of a fragment shader", NULL);
	if (p.per_vertex && model != ExecutionModelFragment)
		return fails(v, &p, "is PerVertexKHR and no input of a fragment shader", "VUID-StandaloneSpirv-PerVertexKHR-06777");
	if (is_per_vertex(&p, model, output) && is(v, id, T_ARRAY | T_RUNTIME_ARRAY))
		id = type(v, id)->inner;
	if (is(v, id, T_STRUCT) && (type(v, id)->mask & T_HAS_BUILT_IN))
		return true;
	if (!p.has_location && !decorated(v, id, DecorationBlock))
		return fails(v, &p, "has no location", is(v, id, T_STRUCT) ? "VUID-StandaloneSpirv-Location-04917" : NULL);
	set = l->sets[!output ? 0 : p.has_index && p.index == 1 ? 2 : 1];
	return p.has_location || !is(v, id, T_STRUCT) ? place_whole(l, &p, set, id) : place_members(l, &p, set, def(v, id));
}

/* Numbers that cannot be interpolated. spirv-val 2023.1 lets vectors of doubles pass. */
static bool check_flat(struct val *v, const spv_inst *entry, const spv_inst *variable)
{
	uint32_t id = type(v, variable->type)->inner;
	const struct spv_type *t = type(v, id);
	bool doubles = (t->mask & (v->compat ? T_FLOAT : T_FLOAT_LIKE)) && t->width == 64;

	return (!(t->mask & T_INT_LIKE) && !doubles) || decorated(v, variable->id, DecorationFlat) ||
	       SPV_FAIL(v, entry, FLAT, NULL, spv_id(&v->module, variable->id));
}

/* What mesh shaders give each primitive and each vertex is not told apart here, as spirv-val 2023.1 does not. */
static bool has_locations(uint32_t model)
{
	return model <= ExecutionModelFragment;
}

static void check_entry(struct val *v, const spv_inst *entry, uint32_t stamp, struct locations **l)
{
	uint32_t model = word(v, entry, 1);
	bool begun = false;

	for (uint32_t i = 3; i < operand_count(entry); i++) {
		const spv_inst *variable = def(v, operand(v, entry, i));
		uint32_t storage = variable && variable->op == OpVariable ? word(v, variable, 3) : StorageClassPrivate;

		if (storage != StorageClassInput && storage != StorageClassOutput)
			continue;
		if (storage == StorageClassInput && model == ExecutionModelFragment && !check_flat(v, entry, variable))
			return;
		if (!*l)
			*l = begin(v);
		if (!*l)
			return;
		if (!begun)
			memset((*l)->sets, 0, sizeof (*l)->sets);
		begun = true;
		if ((*l)->seen[variable->id] == stamp)
			continue;
		(*l)->seen[variable->id] = stamp;
		if (!check_variable(*l, entry, variable))
			return;
	}
}

void spv_check_locations(struct val *v)
{
	struct locations *l = NULL;

	for (uint32_t i = 0; v->vulkan && i < v->entries.count && v->diag->errors < v->most_errors; i++) {
		const spv_inst *entry = &v->module.insts[v->entries.at[i].inst];

		if (has_locations(word(v, entry, 1)) && !v->out_of_memory)
			check_entry(v, entry, i + 1, &l);
	}
}
