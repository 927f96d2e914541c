/* SPDX-License-Identifier: MIT */
/*
 * lib/arena/reservoir.h: a thread frees its range into its hand and takes it out again, inside of its state and without
 * the lock. Another trims: it empties the hand, inside of that state too, and later drops the pages of what has no length,
 * under the lock. No live range loses its pages. FAULT: what is in a hand has no length.
 */
#define NONE 0
#define LIVE 1
#define HELD 2
byte length = LIVE;
bool inside, lock, pages = true, live = true, hand;

inline enter() { atomic { !inside -> inside = true } }
inline leave() { inside = false }
inline take() { atomic { !lock -> lock = true } }
inline give() { lock = false }

proctype owner()
{
	byte rounds;

	do
	:: rounds < 5 ->
		rounds++;
		enter();
		if
		:: live ->
			live = false;
#ifdef FAULT
			length = NONE;
#else
			length = HELD;
#endif
			hand = true
		:: !live && hand ->
			hand = false;
			length = LIVE;
			live = true
		:: !live && !hand ->
			take();
			length = LIVE;
			pages = true;
			live = true;
			give()
		fi;
		assert(!live || pages);
		leave();
		assert(!live || pages)
	:: else -> break
	od
}

proctype trimmer()
{
	byte rounds;

	do
	:: rounds < 2 ->
		rounds++;
		enter();
		if
		:: hand -> take(); hand = false; length = NONE; give()
		:: else -> skip
		fi;
		leave();
		take();
		if
		:: length == NONE -> pages = false
		:: else -> skip
		fi;
		give()
	:: else -> break
	od
}

init { atomic { run owner(); run trimmer() } }
