/* SPDX-License-Identifier: MIT */
/*
 * What each decoder shows of parts that were laid out by hand, and that encoding gives their bytes
 * again. Also the digest by a second algorithm, and MD5 by the vectors of RFC 1321.
 */
#include "seeds.h"

#include <cjson/cJSON.h>
#include <glacier.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define FAIL(...) (printf("FAIL: " __VA_ARGS__), putchar('\n'), failures++)

/* What stands in a part, by path; values as JSON writes them. */
static const struct {
	enum seed seed;
	const char *fourcc, *path, *value;
} facts[] = {
	{SEED_PIXEL_6_0, "DXIL", "kind", "\"pixel\""},
	{SEED_PIXEL_6_0, "DXIL", "major", "6"},
	{SEED_PIXEL_6_0, "DXIL", "minor", "0"},
	{SEED_PIXEL_6_0, "DXIL", "bitcode_offset", "16"},
	{SEED_COMPUTE_6_6, "DXIL", "dxil_minor", "6"},
	{SEED_DEBUG_6_8, "ILDB", "kind", "\"compute\""},
	{SEED_PIXEL_6_0, "SFI0", "features", "[]"},
	{SEED_COMPUTE_6_6, "SFI0", "features", "[\"WaveOps\",\"SampleCmpGradientOrBias\",\"ExtendedCommandInfo\"]"},
	{SEED_PIXEL_6_0, "ISG1", "elements.0.name", "\"COLOR\""},
	{SEED_PIXEL_6_0, "ISG1", "elements.0.system_value", "\"UNDEFINED\""},
	{SEED_PIXEL_6_0, "ISG1", "elements.0.type", "\"float32\""},
	{SEED_PIXEL_6_0, "ISG1", "elements.0.mask", "15"},
	{SEED_PIXEL_6_0, "ISG1", "elements.0.precision", "\"default\""},
	{SEED_PIXEL_6_0, "OSG1", "elements.0.system_value", "\"TARGET\""},
	{SEED_PIXEL_5_0, "ISGN", "elements.0.name", "\"TEXCOORD\""},
	{SEED_PIXEL_5_0, "ISGN", "elements.0.mask", "3"},
	{SEED_GEOMETRY_4_0, "OSG5", "elements.0.stream", "0"},
	{SEED_GEOMETRY_4_0, "OSG5", "elements.0.name", "\"SV_Position\""},
	{SEED_GEOMETRY_4_0, "OSG5", "elements.0.system_value", "\"POSITION\""},
	{SEED_PIXEL_6_0, "PSV0", "version", "1"},
	{SEED_PIXEL_6_0, "PSV0", "info.stage", "\"pixel\""},
	{SEED_PIXEL_6_0, "PSV0", "info.max_wave_lanes", "4294967295"},
	{SEED_PIXEL_6_0, "PSV0", "resources.0.type", "\"SRVTyped\""},
	{SEED_PIXEL_6_0, "PSV0", "strings", "[\"\",\"COLOR\",\"\"]"},
	{SEED_PIXEL_6_0, "PSV0", "inputs.0.name_offset", "1"},
	{SEED_PIXEL_6_0, "PSV0", "inputs.0.columns", "4"},
	{SEED_PIXEL_6_0, "PSV0", "inputs.0.allocated", "1"},
	{SEED_PIXEL_6_0, "PSV0", "outputs.0.semantic", "\"Target\""},
	{SEED_PIXEL_6_0, "PSV0", "input_outputs", "[1,2,4,8]"},
	{SEED_COMPUTE_6_6, "PSV0", "version", "2"},
	{SEED_COMPUTE_6_6, "PSV0", "info.threads_x", "8"},
	{SEED_COMPUTE_6_6, "PSV0", "info.threads_z", "1"},
	{SEED_COMPUTE_6_6, "PSV0", "resources.0.type", "\"SRVRaw\""},
	{SEED_COMPUTE_6_6, "PSV0", "resources.1.type", "\"UAVRaw\""},
	{SEED_COMPUTE_6_6, "PSV0", "resources.1.kind", "\"RawBuffer\""},
	{SEED_COMPUTE_6_6, "PSV0", "resources.1.lower", "1"},
	{SEED_COMPUTE_6_8, "PSV0", "version", "3"},
	{SEED_COMPUTE_6_8, "PSV0", "info.entry_name_offset", "1"},
	{SEED_DEBUG_6_8, "PSV0", "version", "4"},
	{SEED_DEBUG_6_8, "PSV0", "info.group_shared_bytes_v4", "256"},
	{SEED_COMPUTE_6_6, "RTS0", "version", "2"},
	{SEED_COMPUTE_6_6, "RTS0", "flags", "[\"ALLOW_INPUT_ASSEMBLER_INPUT_LAYOUT\"]"},
	{SEED_COMPUTE_6_6, "RTS0", "parameters.0.type", "\"DESCRIPTOR_TABLE\""},
	{SEED_COMPUTE_6_6, "RTS0", "parameters.0.ranges.0.type", "\"UAV\""},
	{SEED_COMPUTE_6_6, "RTS0", "parameters.0.ranges.0.count", "2"},
	{SEED_COMPUTE_6_6, "RTS0", "parameters.0.ranges.0.register", "3"},
	{SEED_COMPUTE_6_6, "RTS0", "parameters.0.ranges.0.space", "4"},
	{SEED_COMPUTE_6_6, "RTS0", "parameters.0.ranges.0.flags", "[\"DESCRIPTORS_VOLATILE\"]"},
	{SEED_COMPUTE_6_6, "RTS0", "parameters.0.ranges.0.offset_in_table", "4294967295"},
	{SEED_COMPUTE_6_6, "RTS0", "parameters.1.visibility", "\"PIXEL\""},
	{SEED_COMPUTE_6_6, "RTS0", "parameters.1.constants", "9"},
	{SEED_COMPUTE_6_6, "RTS0", "parameters.2.type", "\"CBV\""},
	{SEED_COMPUTE_6_6, "RTS0", "parameters.2.flags", "[\"DATA_STATIC\"]"},
	{SEED_COMPUTE_6_6, "RTS0", "samplers.0.filter", "21"},
	{SEED_COMPUTE_6_6, "RTS0", "samplers.0.address_v", "\"MIRROR\""},
	{SEED_COMPUTE_6_6, "RTS0", "samplers.0.mip_lod_bias", "-1"},
	{SEED_COMPUTE_6_6, "RTS0", "samplers.0.border_color", "\"OPAQUE_BLACK\""},
	{SEED_PIXEL_6_0, "RTS0", "version", "1"},
	{SEED_PIXEL_6_0, "RTS0", "parameters.0.ranges.0.register", "3"},
	{SEED_COMPUTE_6_8, "RTS0", "samplers.0.flags", "[\"UINT_BORDER_COLOR\"]"},
	{SEED_LIBRARY_6_3, "RDAT", "version", "16"},
	{SEED_LIBRARY_6_3, "RDAT", "sub_parts.0.strings.1.text", "\"buffer\""},
	{SEED_LIBRARY_6_3, "RDAT", "sub_parts.1.words", "[1,0]"},
	{SEED_LIBRARY_6_3, "RDAT", "sub_parts.2.records.0.class", "\"UAV\""},
	{SEED_LIBRARY_6_3, "RDAT", "sub_parts.2.records.0.kind", "\"RawBuffer\""},
	{SEED_LIBRARY_6_3, "RDAT", "sub_parts.2.records.0.flags", "[\"UAVCounter\"]"},
	{SEED_LIBRARY_6_3, "RDAT", "sub_parts.3.records.0.kind", "\"compute\""},
	{SEED_LIBRARY_6_3, "RDAT", "sub_parts.3.records.0.features", "[\"WaveOps\"]"},
	{SEED_LIBRARY_6_3, "RDAT", "sub_parts.3.records.0.stages", "[\"compute\"]"},
	{SEED_LIBRARY_6_3, "VERS", "major", "1"},
	{SEED_LIBRARY_6_3, "VERS", "flags", "[\"Debug\"]"},
	{SEED_LIBRARY_6_3, "VERS", "commits", "4711"},
	{SEED_LIBRARY_6_3, "VERS", "hash", "\"0123456789\""},
	{SEED_LIBRARY_6_3, "VERS", "custom", "\"own\""},
	{SEED_DEBUG_6_8, "ILDN", "name", "\"a.pdb\""},
	{SEED_DEBUG_6_8, "SRCI", "sections.0.type", "\"names\""},
	{SEED_DEBUG_6_8, "SRCI", "sections.0.names.0.name", "\"a.hlsl\""},
	{SEED_DEBUG_6_8, "SRCI", "sections.1.compression", "\"zlib\""},
	{SEED_DEBUG_6_8, "SRCI", "sections.1.decoded.sources.0.text_bytes", "38"},
	{SEED_DEBUG_6_8, "SRCI", "sections.1.decoded.sources.0.text", "\"[numthreads(4, 2, 1)]\\nvoid main() {}\\n\""},
	{SEED_DEBUG_6_8, "SRCI", "sections.2.arguments.1.name", "\"E\""},
	{SEED_DEBUG_6_8, "SRCI", "sections.2.arguments.1.value", "\"main\""},
	{SEED_DEBUG_6_8, "PDBI", "compression", "\"zlib\""},
	{SEED_DEBUG_6_8, "PDBI", "decoded.sub_parts.0.strings.1.text", "\"a.hlsl\""},
	{SEED_DEBUG_6_8, "PDBI", "decoded.sub_parts.1.type", "\"pdb_sources\""},
	{SEED_DEBUG_6_8, "PRIV", "data", "\"6f6464\""},
	{SEED_PIXEL_5_0, "STAT", "instructions", "3"},
	{SEED_PIXEL_5_0, "STAT", "declarations", "1"},
	{SEED_PIXEL_5_0, "STAT", "texture_stores", "0"},
	{SEED_COMPUTE_6_6, "STAT", "kind", "\"compute\""},
	{SEED_PIXEL_5_0, "RDEF", "mark", "\"RD11\""},
	{SEED_PIXEL_5_0, "RDEF", "target", "\"pixel\""},
	{SEED_PIXEL_5_0, "RDEF", "creator", "\"us\""},
	{SEED_PIXEL_5_0, "RDEF", "bindings.0.name", "\"cb\""},
	{SEED_PIXEL_5_0, "RDEF", "bindings.0.type", "\"CBUFFER\""},
	{SEED_PIXEL_5_0, "RDEF", "buffers.0.bytes", "16"},
	{SEED_PIXEL_5_0, "RDEF", "buffers.0.variables.0.name", "\"v\""},
	{SEED_PIXEL_5_0, "RDEF", "buffers.0.variables.0.flags", "[\"USED\"]"},
	{SEED_PIXEL_5_0, "RDEF", "types.0.class", "\"VECTOR\""},
	{SEED_PIXEL_5_0, "RDEF", "types.0.columns", "4"},
	{SEED_PIXEL_5_0, "RDEF", "types.0.name", "\"float4\""},
	{SEED_GEOMETRY_4_0, "RDEF", "target", "\"geometry\""},
	{SEED_GEOMETRY_4_0, "RDEF", "buffers.0.variables.0.bytes", "16"},
	{SEED_GEOMETRY_4_0, "SHDR", "kind", "\"geometry\""},
	{SEED_COMPUTE_5_0, "SHEX", "kind", "\"compute\""},
	{SEED_COMPUTE_5_0, "SHEX", "threads_x", "4"},
	{SEED_COMPUTE_5_0, "SHEX", "threads_y", "2"},
	{SEED_COMPUTE_5_0, "SHEX", "instructions", "2"},
	{SEED_COMPUTE_5_0, "SFI0", "features", "[\"Doubles\"]"},
};

static const cJSON *at_path(const cJSON *node, const char *path)
{
	char name[64];

	while (node && *path) {
		size_t length = strcspn(path, ".");

		snprintf(name, sizeof name, "%.*s", (int)length, path);
		node = cJSON_IsArray(node) ? cJSON_GetArrayItem(node, atoi(name)) : cJSON_GetObjectItemCaseSensitive(node, name);
		path += length + (path[length] == '.');
	}
	return node;
}

static void check_fact(const struct glacier_dxbc *dxbc, size_t i)
{
	const char *name = facts[i].fourcc;
	struct glacier_dxbc_part part;
	struct glacier_buffer text = {0};
	cJSON *tree = NULL;
	char *got = NULL;

	if (glacier_dxbc_find(dxbc, get32((const unsigned char *)name), &part) &&
	    glacier_dxbc_decode(&part, true, &text, NULL) == GLACIER_OK)
		tree = cJSON_ParseWithLength((const char *)text.data, text.size);
	got = cJSON_PrintUnformatted(at_path(tree, facts[i].path));
	if (!got || strcmp(got, facts[i].value))
		FAIL("%s %s %s: %s, not %s", seed_names[facts[i].seed], name, facts[i].path, got ? got : "nothing", facts[i].value);
	cJSON_free(got);
	cJSON_Delete(tree);
	glacier_buffer_fini(&text);
}

static void print(void *user, const struct glacier_diagnostic *d)
{
	(void)user;
	printf("  %s: %s\n", d->code ? d->code : "note", d->message);
}

static void check_identity(const struct glacier_dxbc *dxbc, const char *seed)
{
	struct glacier_diag diag = {.report = print};
	struct glacier_buffer again = {0};
	struct glacier_dxbc_part parts[16];
	const struct glacier_dxbc_write_options options = {.unaligned = true};

	for (uint32_t i = 0; i < dxbc->part_count; i++) {
		struct glacier_buffer text = {0}, data = {0};

		parts[i] = glacier_dxbc_part_at(dxbc, i);
		if (glacier_dxbc_decode(&parts[i], true, &text, &diag) != GLACIER_OK ||
		    glacier_dxbc_encode(parts[i].fourcc, (const char *)text.data, text.size, &data, &diag) != GLACIER_OK ||
		    data.size != parts[i].bytes || memcmp(data.data, parts[i].data, data.size))
			FAIL("%s: part %u does not give its bytes again", seed, i);
		/* Cut short, it keeps its form or not; asking for that alone must come to the same. */
		for (struct glacier_dxbc_part cut = parts[i]; cut.bytes--;) {
			text.size = 0;
			if (glacier_dxbc_decode(&cut, false, NULL, NULL) != glacier_dxbc_decode(&cut, false, &text, NULL))
				FAIL("%s: part %u of %u bytes has its form, or not, by how it is asked", seed, i, cut.bytes);
		}
		glacier_buffer_fini(&text);
		glacier_buffer_fini(&data);
	}
	if (glacier_dxbc_write(parts, dxbc->part_count, &options, &again, &diag) != GLACIER_OK || again.size != dxbc->bytes ||
	    memcmp(again.data, dxbc->data, again.size))
		FAIL("%s: the parts do not give the container again", seed);
	glacier_buffer_fini(&again);
}

static void check_seeds(void)
{
	bool seen[64] = {false};
	struct glacier_dxbc_part_info info;

	for (int seed = 0; seed < SEED_COUNT; seed++) {
		struct bytes b = seed_make((enum seed)seed);
		struct glacier_diag diag = {.report = print};
		struct glacier_dxbc dxbc;

		if (glacier_dxbc_parse(b.at, b.size, &dxbc, &diag) != GLACIER_OK ||
		    glacier_dxbc_verify(&dxbc, NULL, &diag) != GLACIER_OK || diag.warnings) {
			FAIL("%s is not good", seed_names[seed]);
			free(b.at);
			continue;
		}
		check_identity(&dxbc, seed_names[seed]);
		for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
			if (facts[i].seed == (enum seed)seed)
				check_fact(&dxbc, i);
		for (size_t i = 0; glacier_dxbc_part_known(i, &info); i++) {
			struct glacier_dxbc_part part;

			seen[i] |= glacier_dxbc_find(&dxbc, info.fourcc, &part);
		}
		free(b.at);
	}
	for (size_t i = 0; glacier_dxbc_part_known(i, &info); i++)
		if (info.decoded && !seen[i] && info.fourcc != GLACIER_FOURCC('P', 'C', 'S', 'G') &&
		    info.fourcc != GLACIER_FOURCC('P', 'S', 'G', '1'))   /* laid out as ISGN and ISG1 are */
			FAIL("no seed has a part %.4s", (const char *)&info.fourcc);
}

static void check_digests(void)
{
	static const struct {
		const char *text, *digest;
	} vectors[] = {
		{"", "d41d8cd98f00b204e9800998ecf8427e"},
		{"a", "0cc175b9c0f1b6a831c399e269772661"},
		{"abc", "900150983cd24fb0d6963f7d28e17f72"},
		{"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
		{"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
		{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f"},
		{"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
		 "57edf4a22be3c955ac49da2e2107b67a"},
	};
	unsigned char digest[16], container[400];
	char hex[33];

	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		glacier_dxbc_md5(vectors[i].text, strlen(vectors[i].text), digest);
		for (int j = 0; j < 16; j++)
			snprintf(hex + 2 * j, 3, "%02x", digest[j]);
		if (strcmp(hex, vectors[i].digest))
			FAIL("MD5 of '%s' is %s", vectors[i].text, hex);
	}
	/* Every length of the tail, against the definition. */
	for (size_t size = 32; size <= sizeof container; size++) {
		unsigned char wanted[16];

		for (size_t i = 0; i < size; i++)
			container[i] = (unsigned char)(i * 37 + size);
		seed_digest(container, size);
		memcpy(wanted, container + 4, 16);
		memset(container + 4, 0, 16);
		glacier_dxbc_sign(container, size, GLACIER_DIGEST_RETAIL);
		if (memcmp(wanted, container + 4, 16))
			FAIL("the digest of %zu bytes is another", size);
	}
}

/* The kinds of digest are told apart, and each is what it is made to be. */
static void check_kinds(void)
{
	struct bytes b = seed_make(SEED_COMPUTE_5_0);
	struct glacier_dxbc dxbc;

	for (int kind = 0; kind < GLACIER_DIGEST_WRONG; kind++) {
		glacier_dxbc_sign(b.at, b.size, (enum glacier_dxbc_digest)kind);
		if (glacier_dxbc_parse(b.at, b.size, &dxbc, NULL) != GLACIER_OK || (int)glacier_dxbc_digest_kind(&dxbc) != kind)
			FAIL("a digest of kind %d is taken for another", kind);
	}
	b.at[4] ^= 1;
	if (glacier_dxbc_digest_kind(&dxbc) != GLACIER_DIGEST_WRONG)
		FAIL("a wrong digest is taken for a right one");
	free(b.at);
}

/* What pack makes of bitcode alone is a container that verifies, with the parts that the model needs. */
static void check_pack(void)
{
	static const struct {
		const char *document;
		uint32_t info_bytes;
	} documents[] = {
		{"{\"kind\":\"cs\",\"model\":\"6.0\",\"threads\":[64]}", 36},
		{"{\"kind\":\"compute\",\"model\":\"6.6\",\"threads\":[8,8,1],\"resources\":[{\"type\":\"UAVRaw\",\"kind\":\"RawBuffer\"}]}", 48},
		{"{\"kind\":\"cs\",\"model\":\"6.8\",\"threads\":[1],\"entry\":\"main\",\"features\":[\"WaveOps\"],"
		 "\"root_signature\":{\"parameters\":[{\"type\":\"UAV\"},{\"type\":\"DESCRIPTOR_TABLE\",\"ranges\":[{\"type\":\"SRV\",\"count\":1}]}]}}",
		 52},
	};
	struct glacier_diag diag = {.report = print};
	struct bytes code = {0};

	seed_bitcode(&code, "main");
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
		struct glacier_buffer out = {0};
		struct glacier_dxbc_part psv;
		struct glacier_dxbc dxbc;

		if (glacier_dxbc_pack(code.at, code.size, documents[i].document, strlen(documents[i].document), NULL, &out, &diag) !=
			    GLACIER_OK ||
		    glacier_dxbc_parse(out.data, out.size, &dxbc, &diag) != GLACIER_OK ||
		    glacier_dxbc_verify(&dxbc, NULL, &diag) != GLACIER_OK || diag.warnings)
			FAIL("what pack made of document %zu is not good", i);
		else if (!glacier_dxbc_find(&dxbc, GLACIER_FOURCC('P', 'S', 'V', '0'), &psv) || get32(psv.data) != documents[i].info_bytes)
			FAIL("document %zu needs an info of %u bytes in PSV0", i, documents[i].info_bytes);
		glacier_buffer_fini(&out);
	}
	free(code.at);
}

int main(void)
{
	check_digests();
	check_kinds();
	check_seeds();
	check_pack();
	printf("%zu facts, %d failures\n", sizeof facts / sizeof *facts, failures);
	return failures ? 1 : 0;
}
