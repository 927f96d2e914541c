/* SPDX-License-Identifier: MIT */
/*
 * zlib is opened when the first compressed content is looked at: programs that only list or
 * sign do not load it, and where it is not installed all else works.
 */
#include "dxbc/inflate.h"

#include "config.h"

#include <stdlib.h>

#ifdef HAVE_ZLIB

#include <dlfcn.h>
#include <pthread.h>
#include <zlib.h>

/* deflate makes at most 1032 bytes of one, says zlib's documentation ("zlib Technical Details"). */
enum { MOST_RATIO = 1032, FIRST_ROOM = 65536 };

static struct {
	int (*init)(z_streamp stream, const char *version, int bytes);
	int (*inflate)(z_streamp stream, int flush);
	int (*end)(z_streamp stream);
} zlib;

static void open_library(void)
{
	void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return;
	zlib.init = (int (*)(z_streamp, const char *, int))dlsym(library, "inflateInit_");
	zlib.inflate = (int (*)(z_streamp, int))dlsym(library, "inflate");
	zlib.end = (int (*)(z_streamp))dlsym(library, "inflateEnd");
}

/* Room is made as the stream fills it, not as it claims. */
static enum glc_inflated fill(z_stream *stream, uint32_t claimed, unsigned char **data)
{
	uint32_t room = 0, wanted = FIRST_ROOM;
	int result = Z_OK;

	while (result == Z_OK && room <= claimed) {
		unsigned char *more = realloc(*data, wanted);

		if (!more)
			return GLC_INFLATE_NO_MEMORY;
		*data = more;
		stream->next_out = more + room;
		stream->avail_out = wanted - room;
		result = zlib.inflate(stream, Z_NO_FLUSH);
		room = wanted;
		wanted = wanted <= UINT32_MAX / 2 ? 2 * wanted : UINT32_MAX;
	}
	return result == Z_STREAM_END && stream->total_out == claimed && !stream->avail_in ? GLC_INFLATED : GLC_INFLATE_BAD;
}

enum glc_inflated glc_inflate(const unsigned char *from, uint32_t bytes, uint32_t claimed, unsigned char **data)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	z_stream stream = {.next_in = (unsigned char *)from, .avail_in = bytes};
	enum glc_inflated result;

	*data = NULL;
	pthread_once(&once, open_library);
	if (!zlib.init || !zlib.inflate || !zlib.end)
		return GLC_INFLATE_NO_LIBRARY;
	if (claimed / MOST_RATIO > bytes)
		return GLC_INFLATE_BAD;
	if (zlib.init(&stream, ZLIB_VERSION, sizeof stream) != Z_OK)
		return GLC_INFLATE_NO_MEMORY;
	result = fill(&stream, claimed, data);
	zlib.end(&stream);
	if (result != GLC_INFLATED) {
		free(*data);
		*data = NULL;
	}
	return result;
}

#else

enum glc_inflated glc_inflate(const unsigned char *from, uint32_t bytes, uint32_t claimed, unsigned char **data)
{
	(void)from, (void)bytes, (void)claimed;
	*data = NULL;
	return GLC_INFLATE_NO_LIBRARY;
}

#endif
