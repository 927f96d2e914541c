/* SPDX-License-Identifier: MIT */
/*
 * lib/arena/threads.h: a thread is inside of its state between two stores; another takes the state once it has asked,
 * and the thread is not inside. `wanted` is also the gates, which are closed after it and opened after it, and all that
 * the quickest ways look at. Never both. FAULT: the thread looks whether it is asked before it says that it is inside.
 */
bool busy, wanted, lock;
byte users;

proctype owner()
{
	byte rounds;

	do
	:: rounds < 3 ->
		rounds++;
		do
		:: true ->
#ifdef FAULT
			if
			:: !wanted -> busy = true; break
			:: else -> atomic { !lock -> skip }
			fi
#else
			busy = true;
			if
			:: !wanted -> break
			:: else -> busy = false; atomic { !lock -> skip }
			fi
#endif
		od;
		users++;
		assert(users == 1);
		users--;
		busy = false
	:: else -> break
	od
}

proctype outsider()
{
	atomic { !lock -> lock = true };
	wanted = true;
	!busy;
	users++;
	assert(users == 1);
	users--;
	wanted = false;
	lock = false
}

init { atomic { run owner(); run outsider() } }
