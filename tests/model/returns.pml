/* SPDX-License-Identifier: MIT */
/*
 * lib/arena/slices.h: a thread adds up what it frees of a segment; another that sleeps until the segment is back says so,
 * and then has everybody return what they have. No slice stays where nobody looks. FAULT: it says so afterwards.
 */
byte added, returned;
bool waiting, inside;

inline enter() { atomic { !inside -> inside = true } }
inline leave() { inside = false }

proctype freer()
{
	byte rounds;

	do
	:: rounds < 2 ->
		rounds++;
		enter();
		added++;
		if
		:: waiting -> returned = returned + added; added = 0
		:: else -> skip
		fi;
		leave()
	:: else -> break
	od
}

inline flush() { enter(); returned = returned + added; added = 0; leave() }

proctype sleeper()
{
#ifdef FAULT
	flush();
	waiting = true;
#else
	waiting = true;
	flush();
#endif
	returned == 2
}

init { atomic { run freer(); run sleeper() } }
