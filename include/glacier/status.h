/* SPDX-License-Identifier: MIT */
/* What a library call returns. Any thread. */
#ifndef GLACIER_STATUS_H
#define GLACIER_STATUS_H

#include <glacier/base.h>

GLACIER_BEGIN

enum glacier_status {
	GLACIER_OK = 0,
	GLACIER_ERR_NOMEM,        /* memory ran out; nothing was changed */
	GLACIER_ERR_ARGUMENT,     /* the caller broke the contract in the header */
	GLACIER_ERR_MALFORMED,    /* the bytes do not have the form they claim */
	GLACIER_ERR_INVALID,      /* well formed, but breaks a rule of the language or format */
	GLACIER_ERR_UNSUPPORTED,  /* valid, but not available for this target, device or version */
	GLACIER_ERR_LIMIT,        /* a limit of the target or of this library is exceeded */
	GLACIER_ERR_CHECKSUM,     /* a digest does not match its bytes */
	GLACIER_ERR_IO,           /* the operating system refused a read or a write */
	GLACIER_ERR_UNAVAILABLE,  /* a driver, device or optional library is not there */
	GLACIER_ERR_TIMEOUT,      /* a peer or device did not answer in time */
	GLACIER_ERR_PEER,         /* another rank failed or disagrees */
	GLACIER_ERR_DEVICE,       /* the device reported an error */
	GLACIER_ERR_MISMATCH,     /* ranks called for different things */
	GLACIER_ERR_AUTHENTICATION,  /* a peer does not know the job's secret */
	GLACIER_STATUS_COUNT
};

/* "malformed" and so on; "unknown status" for a value out of range. A static string. Since: 0.1 */
GLACIER_API const char *glacier_status_name(enum glacier_status status);

GLACIER_END

#endif
