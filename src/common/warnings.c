/* SPDX-License-Identifier: MIT */
/* -W flags, by gcc's rules: a later flag wins, and what names one warning wins over -Werror. */
#include "cli.h"

#include <string.h>

#define WORDS ((GLACIER_WARNING_COUNT + 63) / 64)

static void set(uint64_t *bits, enum glacier_warning warning, bool on)
{
	uint64_t bit = UINT64_C(1) << (warning % 64);

	if (on)
		bits[warning / 64] |= bit;
	else
		bits[warning / 64] &= ~bit;
}

static enum glacier_warning find(const char *name)
{
	enum glacier_warning warning = glacier_warning_find(name);
	char known[1024] = "";
	size_t used = 0;

	if (warning != GLACIER_WARNING_NONE)
		return warning;
	for (int i = GLACIER_WARNING_NONE + 1; i < GLACIER_WARNING_COUNT; i++) {
		size_t room = sizeof known - used;
		int n = snprintf(known + used, room, "%s%s", used ? ", " : "",
				 glacier_warning_name((enum glacier_warning)i));

		if (n < 0 || (size_t)n >= room)
			break;
		used += (size_t)n;
	}
	cli_bad_usage("no warning is named '%s'; there are: %s", name, known);
}

static void update(struct cli_warnings *warnings)
{
	for (size_t i = 0; i < WORDS; i++) {
		uint64_t all = warnings->all_fatal ? UINT64_MAX : 0;

		warnings->fatal[i] = (all & ~warnings->fatal_off[i]) | warnings->fatal_on[i];
	}
}

/* The part of text behind the prefix, or NULL. */
static const char *after(const char *text, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(text, prefix, n) ? NULL : text + n;
}

void cli_warning_flag(struct cli_warnings *warnings, const char *flag)
{
	const char *positive = after(flag, "no-"), *name;
	bool on = !positive;

	if (on)
		positive = flag;
	if (!strcmp(positive, "error")) {
		warnings->all_fatal = on;
	} else if ((name = after(positive, "error="))) {
		enum glacier_warning warning = find(name);

		set(warnings->fatal_on, warning, on);
		set(warnings->fatal_off, warning, !on);
		if (on)
			set(warnings->disabled, warning, false);
	} else {
		set(warnings->disabled, find(positive), !on);
	}
	update(warnings);
}

void cli_warnings_off(struct cli_warnings *warnings)
{
	memset(warnings->disabled, 0xff, sizeof warnings->disabled);
}

static bool bit(const uint64_t *bits, enum glacier_warning warning)
{
	return bits[warning / 64] >> (warning % 64) & 1;
}

bool cli_warning_is_off(const struct cli_warnings *warnings, enum glacier_warning warning)
{
	return bit(warnings->disabled, warning);
}

bool cli_tell(struct glacier_diag *diag, const struct cli_warnings *warnings, const char *code,
	      const struct glacier_location *place)
{
	struct glacier_diagnostic diagnostic = {.severity = GLACIER_ERROR};
	struct glacier_code_info info;

	if (!glacier_code_find(code, &info) || (info.warning && cli_warning_is_off(warnings, info.warning)))
		return true;
	if (info.warning && !bit(warnings->fatal, info.warning))
		diagnostic.severity = GLACIER_WARNING;
	if (place)
		diagnostic.location = *place;
	diagnostic.code = info.code;
	diagnostic.flag = glacier_warning_name(info.warning);
	diagnostic.message = info.text;
	diagnostic.status = info.status;
	diag->report(diag->user, &diagnostic);
	return diagnostic.severity == GLACIER_WARNING;
}
