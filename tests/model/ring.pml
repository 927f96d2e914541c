/* SPDX-License-Identifier: MIT */
/*
 * lib/arena/ring.c: four units in two segments; threads claim one or two, use them and return them; the tail moves over
 * segments of which all came back. No unit has two users. FAULT: the tail is not looked at.
 */
#define CAPACITY 4
#define SEGMENT 2
byte head, tail, done;
byte returned[2];
byte owner[CAPACITY];

proctype user(byte me; byte units)
{
	byte seen, at, pad, i, n, lap, rounds, tries;
	bool claimed;

	do
	:: rounds < 3 ->
		rounds++;
		claimed = false;
		tries = 0;
		do
		:: tries < 3 ->
			tries++;
			seen = head;
			at = seen % CAPACITY;
			pad = (units > CAPACITY - at -> CAPACITY - at : 0);
#ifndef FAULT
			if
			:: seen + pad + units - tail > CAPACITY -> break
			:: else -> skip
			fi;
#endif
			atomic {
				if
				:: head == seen -> head = head + pad + units; claimed = true
				:: else -> skip
				fi
			}
			if
			:: claimed -> break
			:: else -> skip
			fi
		:: else -> break
		od;
		if
		:: claimed ->
			if
			:: pad > 0 -> i = at; n = pad; at = 0
			:: else -> n = 0
			fi;
			do
			:: n > 0 -> atomic { returned[i / SEGMENT] = returned[i / SEGMENT] + 1 }; i++; n--
			:: else -> break
			od;
			i = 0;
			do
			:: i < units -> assert(owner[at + i] == 0); owner[at + i] = me; i++
			:: else -> break
			od;
			i = 0;
			do
			:: i < units ->
				assert(owner[at + i] == me);
				owner[at + i] = 0;
				atomic { returned[(at + i) / SEGMENT] = returned[(at + i) / SEGMENT] + 1 };
				i++
			:: else -> break
			od;
			do
			:: true ->
				seen = tail;
				lap = seen / CAPACITY;
				if
				:: returned[(seen % CAPACITY) / SEGMENT] == (lap + 1) * SEGMENT ->
					atomic {
						if
						:: tail == seen -> tail = tail + SEGMENT
						:: else -> skip
						fi
					}
				:: else -> break
				fi
			od
		:: else -> skip
		fi
	:: else -> break
	od;
	done++
}

init
{
	atomic { run user(1, 1); run user(2, 2) }
	done == 2;
	assert(head - tail <= CAPACITY)
}
