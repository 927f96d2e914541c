/* SPDX-License-Identifier: MIT */
/*
 * lib/arena/slab.c: an owner gives its full word up while two threads free slots of it. Whoever comes last lists the
 * word: a slot that is free is found again. FAULT: the owner looks for free slots before it says that the word is full.
 */
mtype = { OWNED, LISTED, FULL };
mtype state = OWNED;
byte free_slots, done;
bool lock;

inline take() { atomic { !lock -> lock = true } }
inline give() { lock = false }

proctype owner()
{
	byte seen;

	take();
#ifdef FAULT
	seen = free_slots;
	state = FULL;
#else
	state = FULL;
	seen = free_slots;
#endif
	if
	:: seen > 0 -> state = LISTED
	:: else -> skip
	fi;
	give();
	done++
}

proctype freer()
{
	mtype seen;

	atomic { free_slots++ };
	seen = state;
	if
	:: seen == FULL ->
		take();
		if
		:: state == FULL && free_slots > 0 -> state = LISTED
		:: else -> skip
		fi;
		give()
	:: else -> skip
	fi;
	done++
}

init
{
	atomic { run owner(); run freer(); run freer() }
	done == 3;
	assert(state == LISTED)
}
