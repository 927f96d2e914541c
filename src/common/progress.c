/* SPDX-License-Identifier: MIT */
#include "cli.h"

#include <inttypes.h>
#include <unistd.h>

enum { PATIENCE_NS = 1000000000, REDRAW_NS = 100000000 };

static uint64_t begun_ns, drawn_ns;
static bool on_screen;

void cli_progress(const char *what, uint64_t done, uint64_t total)
{
	uint64_t now = cli_now_ns();

	if (!begun_ns)
		begun_ns = now;
	if (now - begun_ns < PATIENCE_NS || now - drawn_ns < REDRAW_NS || cli.quiet ||
	    cli.json_diagnostics || !isatty(STDERR_FILENO))
		return;
	drawn_ns = now;
	on_screen = true;
	fprintf(stderr, "\r\33[K%s: %" PRIu64 "/%" PRIu64 " (%.0f %%)", what, done, total,
		total ? 100.0 * (double)done / (double)total : 0.0);
	fflush(stderr);
}

void cli_progress_clear(void)
{
	if (!on_screen)
		return;
	on_screen = false;
	fputs("\r\33[K", stderr);
	fflush(stderr);
}
