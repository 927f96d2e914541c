/* SPDX-License-Identifier: MIT */
/*
 * One description of a part reads and writes it: each field is visited once, and the codec
 * either takes its bytes to the JSON tree, or its value from the tree to the bytes.
 *
 * Fields stand at absolute places of the part's data, and what no field covers is kept in
 * "rest", so that decoding and encoding a part gives the same bytes, whatever they were.
 * A decoder is a function of the codec that goes on after a failure with zeros; counts from
 * the bytes are bounded by codec_count before anything is repeated.
 */
#ifndef GLC_DXBC_CODEC_H
#define GLC_DXBC_CODEC_H

#include "base/buf.h"
#include "dxbc/dxbc.h"

#include <cjson/cJSON.h>

struct codec {
	bool encoding, whole, failed;
	const char *part;            /* its FourCC, for messages */
	uint32_t fourcc;
	struct glacier_diag *diag;
	uint64_t where;              /* of its first byte in the container */
	unsigned char *data;         /* decoding: the part's; encoding: made here, grows */
	uint32_t bytes, capacity;
	unsigned char *covered;      /* decoding the whole: a bit a byte that a field has */
	uint64_t shown;              /* decoding: how much was put into the tree, see codec_spend */
	cJSON *node;                 /* the object that fields belong to; decoding: NULL where only the form is asked for */
	cJSON *list, *item;          /* encoding: the array's element that was entered last, and its place */
	uint32_t index;
};

/* A name for a value; tables end in one without a name. */
struct codec_name {
	uint32_t value;
	const char *name;
};

#define CODEC_NAMES(...) (const struct codec_name[]){__VA_ARGS__, {0, NULL}}

/* Numbers. name NULL: read and written, but not shown. Each gives the value. */
uint8_t codec_u8(struct codec *c, uint32_t at, const char *name);
uint16_t codec_u16(struct codec *c, uint32_t at, const char *name);
uint32_t codec_u32(struct codec *c, uint32_t at, const char *name);
uint64_t codec_u64(struct codec *c, uint32_t at, const char *name);
/* The same, shown only where it is not 0. */
void codec_reserved(struct codec *c, uint32_t at, uint32_t bytes, const char *name);
/* bytes: 1, 2 or 4. A value without a name is shown as a number. */
uint32_t codec_enum(struct codec *c, uint32_t at, uint32_t bytes, const char *name, const struct codec_name *names);
/* bytes: 1 to 8. Names of bits; bits without one are shown together as a number in hex. */
uint64_t codec_flags(struct codec *c, uint32_t at, uint32_t bytes, const char *name, const struct codec_name *names);
/* Some bits of the number at `at`. */
uint32_t codec_bits(struct codec *c, uint32_t at, uint32_t bytes, uint32_t shift, uint32_t width, const char *name,
		    const struct codec_name *names);
void codec_float(struct codec *c, uint32_t at, const char *name);
/* n numbers of 32 bits as an array. */
void codec_words(struct codec *c, uint32_t at, uint32_t n, const char *name);
/* A number of them, and they behind it; gives the place behind. */
uint32_t codec_word_array(struct codec *c, uint32_t at, const char *name);
/* Bytes as hex. */
void codec_hex(struct codec *c, uint32_t at, uint32_t bytes, const char *name);
/* The same, where it is bulk: without `whole` only its size is told. */
void codec_bulk(struct codec *c, uint32_t at, uint32_t bytes, const char *name);
/* A string with its terminator; gives the bytes that it takes, 0 after a failure. */
uint32_t codec_string(struct codec *c, uint32_t at, const char *name);
/* A string that lies at the offset that stands at `at`, from `base`: two members, NAME_offset and NAME. */
void codec_string_ref(struct codec *c, uint32_t at, uint32_t base, const char *name);
/* A number that must be as it is. */
void codec_constant(struct codec *c, uint32_t at, uint32_t bytes, uint32_t value, const char *what);

/*
 * The number of elements of an array: decoding, the number at `at`, which must fit the part
 * at `stride` bytes each from `first` on; encoding, the array's, which is stored there.
 */
uint32_t codec_count(struct codec *c, uint32_t at, uint32_t first, uint32_t stride, const char *array);
/* The same where the number lies elsewhere, and is known: decoding `count`, encoding the array's. */
uint32_t codec_elements(struct codec *c, uint32_t count, uint32_t first, uint32_t stride, const char *array);

/* An object, or an element of an array, becomes the place of fields; the one before is given back to codec_leave. */
cJSON *codec_enter(struct codec *c, const char *name);
cJSON *codec_enter_element(struct codec *c, const char *array, uint32_t index);
void codec_leave(struct codec *c, cJSON *before);
/* Whether an object, or array, of that name is there (encoding), or will be (decoding: present). */
bool codec_optional(struct codec *c, const char *name, bool present);

/* Decoding: bytes at `at` must be there. False after a diagnostic. */
bool codec_need(struct codec *c, uint32_t at, uint32_t bytes, const char *what);
/*
 * Structures may overlap, and names may be shared: what a part tells is held to a multiple of its size, so
 * that a small one does not fill the memory.
 */
bool codec_spend(struct codec *c, uint64_t bytes);
/* A member for people, which encoding does not look at. */
void codec_note(struct codec *c, const char *name, const char *text);
void codec_note_number(struct codec *c, const char *name, double number);
/* The same: an object of what another decoder reads of bytes that are not the part's own, but come from `at` of it. */
void codec_nested(struct codec *c, void (*fn)(struct codec *c), const char *name, unsigned char *data, uint32_t bytes,
		  uint32_t at);
/* What is wrong with the part by its own rules. */
#define codec_fail(c, at, ...) codec_report(c, at, __VA_ARGS__)
void codec_report(struct codec *c, uint32_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* --- Decoders ------------------------------------------------------------ */

typedef void codec_fn(struct codec *c);

codec_fn codec_program, codec_features, codec_hash, codec_signature, codec_psv0, codec_rts0, codec_rdat, codec_stat,
	codec_rdef, codec_ildn, codec_vers, codec_srci, codec_pdbi, codec_opaque;

/* features.c: shared by SFI0 and RDAT. */
extern const struct codec_name glc_dxbc_features[];
/* program.c: kinds of programs. */
extern const struct codec_name glc_dxbc_kinds[];
/* psv0.c: shared with RDAT. */
extern const struct codec_name glc_dxbc_resource_kinds[];

/* Where status is OK, appends a tree as text without blanks; frees the tree. json.c */
enum glacier_status glc_json_take(cJSON *tree, enum glacier_status status, struct glacier_buffer *buffer,
				  struct glacier_diag *diag);

/* Turns a decoded tree into the data of a part, with the codec above. False, told, when it is no such tree. */
bool codec_encode(uint32_t fourcc, cJSON *tree, struct glacier_buffer *buffer, struct glacier_diag *diag);

#endif
