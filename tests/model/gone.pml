/* SPDX-License-Identifier: MIT */
/*
 * lib/arena/slab.c: a thread returns the last slot of a slab and is to tell its bin; meanwhile the slab is dissolved, and
 * another bin makes one of its leaves. The words are changed under the lock of the bin that the map names, and under no
 * other. FAULT: the thread does not look at the map once it has the lock.
 */
byte map = 1, done;
bool listed = true, free_slot, lock[3];

inline take(bin) { atomic { !lock[bin] -> lock[bin] = true } }
inline give(bin) { lock[bin] = false }

proctype freer()
{
	bool seen;

	free_slot = true;
	seen = listed;
	if
	:: seen ->
		take(1);
#ifndef FAULT
		if
		:: map == 1 && free_slot -> assert(map == 1); listed = false; map = 0
		:: else -> skip
		fi;
#else
		if
		:: free_slot -> assert(map == 1); listed = false; map = 0
		:: else -> skip
		fi;
#endif
		give(1)
	:: else -> skip
	fi;
	done++
}

proctype trimmer()
{
	take(1);
	if
	:: map == 1 && listed && free_slot -> listed = false; map = 0
	:: else -> skip
	fi;
	give(1);
	if
	:: map == 0 -> take(2); map = 2; free_slot = true; listed = true; give(2)
	:: else -> skip
	fi;
	done++
}

init
{
	atomic { run freer(); run trimmer() }
	done == 2;
	assert(map != 1)
}
