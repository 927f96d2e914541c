/* SPDX-License-Identifier: MIT */
/* pack: a container from bitcode, from parts, or from what extract --all left. */
#include "manifest.h"
#include "tree.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

static const char *output_of(const struct options *opt)
{
	return opt->output && strcmp(opt->output, "-") ? opt->output : NULL;
}

static void note(void *user, const struct glacier_diagnostic *diagnostic)
{
	struct glacier_diag *diag = user;
	struct glacier_diagnostic note = {.severity = GLACIER_NOTE, .message = diagnostic->message};

	if (diagnostic->severity == GLACIER_ERROR)
		diag->report(diag->user, &note);
}

/* Parts that are given are taken as they are; people should know. */
static bool warn_unverified(const struct options *opt, const struct glacier_buffer *buffer, struct glacier_diag *diag)
{
	struct glacier_diag count = {0}, notes = {.report = note, .user = diag};
	struct glacier_dxbc dxbc;
	bool go_on, parsed = glacier_dxbc_parse(buffer->data, buffer->size, &dxbc, &count) == GLACIER_OK;

	if (parsed && glacier_dxbc_verify(&dxbc, NULL, &count) == GLACIER_OK)
		return true;
	if (cli_warning_is_off(&opt->warnings, GLACIER_WARNING_UNVERIFIED))
		return true;
	go_on = cli_tell(diag, &opt->warnings, "DX0030", NULL);
	if (parsed)
		glacier_dxbc_verify(&dxbc, NULL, &notes);
	else
		glacier_dxbc_parse(buffer->data, buffer->size, &dxbc, &notes);
	if (!go_on)
		cli_note_code(CLI_WRONG);
	return go_on;
}

static enum cli_code write_parts(struct parts *parts, const struct options *opt)
{
	struct glacier_diag diag = cli_diag(NULL);
	struct glacier_buffer buffer = {0};
	enum cli_code code = CLI_TROUBLE;

	if (opt->has_digest)
		parts->write.digest = opt->digest;
	if (glacier_dxbc_write(parts->at, parts->count, &parts->write, &buffer, &diag) == GLACIER_OK) {
		/* A manifest gives what was taken apart, whatever that was. */
		if (!opt->manifest && !warn_unverified(opt, &buffer, &diag))
			code = CLI_WRONG;
		else if (cli_stage(output_of(opt), buffer.data, buffer.size, true) && cli_commit())
			code = CLI_OK;
	}
	glacier_buffer_fini(&buffer);
	return code;
}

static enum cli_code from_manifest(const struct options *opt)
{
	struct manifest manifest;
	struct parts parts;
	enum cli_code code = CLI_TROUBLE;

	options_want_files(opt, 0, 0);
	if (manifest_read(&manifest, opt->manifest, &parts))
		code = write_parts(&parts, opt);
	manifest_close(&manifest);
	parts_fini(&parts);
	return code;
}

/* PRIV may be of any size, which it keeps where no part comes behind it. */
static void put_private_last(struct parts *parts)
{
	for (uint32_t i = 0; i + 1 < parts->count; i++) {
		struct glacier_dxbc_part part = parts->at[i];

		if (part.fourcc != GLACIER_FOURCC('P', 'R', 'I', 'V'))
			continue;
		memmove(&parts->at[i], &parts->at[i + 1], (parts->count - 1 - i) * sizeof part);
		parts->at[parts->count - 1] = part;
		return;
	}
}

static void want_files_of_parts(const struct options *opt)
{
	for (size_t i = 0; i < opt->part_count; i++) {
		const struct part_option *part = &opt->parts[i];

		if (!part->path)
			cli_bad_usage("pack: --part=%s needs a file, as --part=CC=FILE", fourcc_name(part->fourcc).text);
		if (options_part(opt, part->fourcc) != part)
			cli_bad_usage("pack: part '%s' is given twice", fourcc_name(part->fourcc).text);
	}
}

static enum cli_code from_parts(const struct options *opt)
{
	struct parts parts = {.write = {.unaligned = opt->unaligned}};
	struct cli_file *files;
	enum cli_code code = CLI_TROUBLE;
	size_t count = 0;
	bool done = true;

	want_files_of_parts(opt);
	files = cli_alloc(opt->part_count * sizeof *files);
	for (; count < opt->part_count && done; count++) {
		const struct part_option *part = &opt->parts[count];

		done = cli_try_read(part->path, &files[count]);
		if (done)
			parts_push(&parts, part_of_file(part->fourcc, &files[count]));
		else
			break;
	}
	if (done) {
		put_private_last(&parts);
		code = write_parts(&parts, opt);
	}
	for (size_t i = 0; i < count; i++)
		cli_release(&files[i]);
	free(files);
	parts_fini(&parts);
	return code;
}

static void replace(cJSON *document, const char *name, cJSON *value)
{
	cJSON_DeleteItemFromObjectCaseSensitive(document, name);
	cJSON_AddItemToObject(document, name, value);
}

/* What the options say counts more than what the document does. */
static char *make_document(const struct options *opt)
{
	cJSON *document = opt->resources ? tree_read(opt->resources) : cJSON_CreateObject(), *list;
	const char *at;
	char *text;

	if (cJSON_IsArray(document)) {   /* the resources alone */
		cJSON *outer = cJSON_CreateObject();

		cJSON_AddItemToObject(outer, "resources", document);
		document = outer;
	}
	if (!cJSON_IsObject(document))
		cli_wrong("%s: the document is no object", opt->resources);
	if (opt->kind)
		replace(document, "kind", cJSON_CreateString(opt->kind));
	if (opt->model)
		replace(document, "model", cJSON_CreateString(opt->model));
	if (opt->entry)
		replace(document, "entry", cJSON_CreateString(opt->entry));
	if (opt->threads) {
		list = cJSON_CreateArray();
		at = opt->threads;
		do {
			size_t digits = strspn(at, "0123456789");

			if (!digits || digits > 9 || (at[digits] && at[digits] != ',') || cJSON_GetArraySize(list) == 3)
				cli_bad_usage("--numthreads=%s: up to three numbers are wanted", opt->threads);
			cJSON_AddItemToArray(list, cJSON_CreateNumber((double)strtoul(at, NULL, 10)));
			at += digits;
		} while (*at++);
		replace(document, "threads", list);
	}
	text = cJSON_PrintUnformatted(document);
	if (!text)
		cli_die("out of memory");
	cJSON_Delete(document);
	return text;
}

/* The kind of digest that inspect told, unless another is wanted. */
static enum glacier_dxbc_digest digest_of(const struct options *opt, const char *text)
{
	cJSON *document = cJSON_Parse(text), *given = cJSON_GetObjectItemCaseSensitive(document, "digest");
	const char *name = cJSON_GetStringValue(given);
	enum glacier_dxbc_digest kind = name ? glacier_dxbc_digest_find(name) : GLACIER_DIGEST_RETAIL;

	if (given && (!name || kind == GLACIER_DIGEST_COUNT))
		cli_wrong("%s: 'digest' must be retail, debug, zero, bypass or preview", opt->resources);
	cJSON_Delete(document);
	return opt->has_digest ? opt->digest : kind < GLACIER_DIGEST_WRONG ? kind : GLACIER_DIGEST_RETAIL;
}

static enum cli_code from_bitcode(const struct options *opt)
{
	struct cli_file file = cli_read(opt->files[0]);
	struct glacier_diag diag = cli_diag(&file);
	struct glacier_buffer buffer = {0};
	char *text = make_document(opt);
	const struct glacier_dxbc_write_options write = {.unaligned = opt->unaligned, .digest = digest_of(opt, text)};
	enum cli_code code = CLI_WRONG;

	if (glacier_dxbc_pack(file.data, file.size, text, strlen(text), &write, &buffer, &diag) == GLACIER_OK)
		code = cli_stage(output_of(opt), buffer.data, buffer.size, true) && cli_commit() ? CLI_OK : CLI_TROUBLE;
	cJSON_free(text);
	glacier_buffer_fini(&buffer);
	cli_release(&file);
	return code;
}

enum cli_code verb_pack(struct options *opt)
{
	/* What is wrong with a document ends the process from inside of it. */
	tree_own_memory();
	if (opt->manifest)
		return from_manifest(opt);
	if (opt->part_count) {
		options_want_files(opt, 0, 0);
		return from_parts(opt);
	}
	options_want_files(opt, 1, 1);
	return from_bitcode(opt);
}
