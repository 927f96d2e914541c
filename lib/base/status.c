/* SPDX-License-Identifier: MIT */
#include <glacier/base.h>
#include <glacier/status.h>

#define STRING(x) STRING_(x)
#define STRING_(x) #x

const char *glacier_version(void)
{
	return STRING(GLACIER_VERSION_MAJOR) "." STRING(GLACIER_VERSION_MINOR) "." STRING(
		GLACIER_VERSION_PATCH);
}

const char *glacier_status_name(enum glacier_status status)
{
	/* A switch, not an array of pointers: those would cost relocations at every start. */
	switch (status) {
	case GLACIER_OK: return "ok";
	case GLACIER_ERR_NOMEM: return "out of memory";
	case GLACIER_ERR_ARGUMENT: return "wrong argument";
	case GLACIER_ERR_MALFORMED: return "malformed";
	case GLACIER_ERR_INVALID: return "invalid";
	case GLACIER_ERR_UNSUPPORTED: return "unsupported";
	case GLACIER_ERR_LIMIT: return "limit exceeded";
	case GLACIER_ERR_CHECKSUM: return "checksum mismatch";
	case GLACIER_ERR_IO: return "input or output failed";
	case GLACIER_ERR_UNAVAILABLE: return "unavailable";
	case GLACIER_ERR_TIMEOUT: return "timed out";
	case GLACIER_ERR_PEER: return "peer failed";
	case GLACIER_ERR_DEVICE: return "device failed";
	case GLACIER_ERR_MISMATCH: return "ranks disagree";
	case GLACIER_ERR_AUTHENTICATION: return "authentication failed";
	case GLACIER_STATUS_COUNT: break;
	}
	return "unknown status";
}
