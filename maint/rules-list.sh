#!/bin/sh
# SPDX-License-Identifier: MIT
# rules-list.sh [--update] - the RULES of man/gc-spv-val.1, from the page of all diagnostics.
# With --update, written into the page; a test compares.
set -eu
: "${top_srcdir:=.}"
page=$top_srcdir/man/gc-spv-val.1

list()
{
	printf 'The clause is that of the rule; a message names the VUID besides, where it is another.\n.Bl -tag -width SV0000\n'
	awk '/^\.It Sy SV/ {on = 1} /^\.(El|Sh)/ {on = 0}
	     on && (/^\.It/ || /^\.Dq/) {print}
	     on && /^See / {sub(/^See /, ""); print ".br"; print}' "$top_srcdir/man/glacier-diagnostics.7"
	printf '.El\n'
}

if [ "${1-}" = --update ]; then
	{
		sed '/^\.\\" Written by maint\/rules-list/q' "$page"
		list
		sed -n '/^\.Sh LIMITS/,$p' "$page"
	} >"$page.new"
	mv "$page.new" "$page"
else
	list
fi
