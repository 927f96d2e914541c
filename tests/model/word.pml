/* SPDX-License-Identifier: MIT */
/*
 * lib/arena/words.h: four leaves in one word, claimed by compare and swap, freed by one "or"; the whole word, which is
 * nobody else's then, by a store. One thread wants two leaves, one wants one and one all four. FAULT: the word is stored instead of swapped.
 */
byte word = 15;
byte owner[4];
byte lost;

proctype user(byte me; byte leaves)
{
	byte value, leaf, mask, i, rounds;
	bool found;

	do
	:: rounds < 2 ->
		rounds++;
		value = word;
		found = false;
		do
		:: true ->
			mask = (leaves == 4 -> 15 : (leaves == 2 -> 3 : 1));
			leaf = 0;
			do
			:: leaf < 4 && ((value >> leaf) & mask) == mask -> found = true; break
			:: leaf < 4 && ((value >> leaf) & mask) != mask -> leaf = leaf + leaves
			:: leaf >= 4 -> found = false; break
			od;
			if
			:: !found -> break
			:: else -> skip
			fi;
#ifdef FAULT
			word = value & ~(mask << leaf);
			break
#else
			atomic {
				if
				:: word == value -> word = value & ~(mask << leaf); break
				:: else -> value = word
				fi
			}
#endif
		od;
		if
		:: found ->
			i = 0;
			do
			:: i < leaves -> assert(owner[leaf + i] == 0); owner[leaf + i] = me; i++
			:: else -> break
			od;
			i = 0;
			do
			:: i < leaves -> assert(owner[leaf + i] == me); owner[leaf + i] = 0; i++
			:: else -> break
			od;
			if
			:: leaves == 4 -> word = 15
			:: else -> atomic { word = word | (mask << leaf) }
			fi
		:: else -> skip
		fi
	:: else -> break
	od;
	lost++
}

init
{
	atomic { run user(1, 2); run user(2, 1); run user(3, 4) }
	lost == 3;
	assert(word == 15)
}
