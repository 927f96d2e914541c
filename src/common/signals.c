/* SPDX-License-Identifier: MIT */
/*
 * A signal that ends the process removes the temporaries first and is then raised again,
 * so that the parent sees the signal and not an exit code. Handlers are there only while
 * a temporary or a mapping can be: a short run installs none.
 */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU, SIGXFSZ};

#define ENDING_COUNT (sizeof ending / sizeof *ending)

/* Every mapped input; a handler walks it. */
static struct guard {
	struct guard *next;
	struct cli_file file;
} *volatile guards;

/* SA_RESETHAND: the second one takes the default action, once the handler has returned. */
static void on_ending(int number)
{
	cli_remove_temporaries();
	raise(number);
}

static void install(int number, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND}, old;

	/* What the parent ignores (nohup, a shell's background jobs) stays ignored. */
	if (sigaction(number, NULL, &old) || old.sa_handler == SIG_IGN)
		return;
	sigaction(number, &action, NULL);
}

void cli_catch_signals(void)
{
	static bool installed;

	if (installed)
		return;
	installed = true;
	for (size_t i = 0; i < ENDING_COUNT; i++)
		install(ending[i], on_ending);
}

void cli_hold_signals(sigset_t *saved)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ENDING_COUNT; i++)
		sigaddset(&set, ending[i]);
	sigprocmask(SIG_BLOCK, &set, saved);
}

void cli_allow_signals(const sigset_t *saved)
{
	sigprocmask(SIG_SETMASK, saved, NULL);
}

/* Nothing but write, unlink and _exit: stdio may be in any state here. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	static const char text[] = ": the file became shorter while it was read\n";
	uintptr_t at = (uintptr_t)info->si_addr;
	const struct guard *guard = guards;
	ssize_t ignored;

	(void)context;
	cli_remove_temporaries();
	while (guard && at - (uintptr_t)guard->file.data >= guard->file.size)
		guard = guard->next;
	if (!guard) {
		raise(number);
		return;
	}
	ignored = write(STDERR_FILENO, guard->file.name, strlen(guard->file.name));
	ignored = write(STDERR_FILENO, text, sizeof text - 1);
	(void)ignored;
	_exit(CLI_TROUBLE);
}

void cli_guard_mapping(const struct cli_file *file)
{
	struct sigaction action = {.sa_sigaction = on_bus_error,
				   .sa_flags = (int)(SA_SIGINFO | SA_RESETHAND)};
	struct guard *guard = cli_alloc(sizeof *guard);

	*guard = (struct guard){.next = guards, .file = *file};
	guards = guard;
	sigaction(SIGBUS, &action, NULL);
}

void cli_unguard_mapping(const struct cli_file *file)
{
	struct guard *guard, *before = NULL;

	for (guard = guards; guard && guard->file.data != file->data; guard = guard->next)
		before = guard;
	if (!guard)
		return;
	if (before)
		before->next = guard->next;
	else
		guards = guard->next;
	free(guard);
}
