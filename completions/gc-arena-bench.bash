# SPDX-License-Identifier: MIT
# bash completion for gc-arena-bench

_gc_arena_bench()
{
	local cur=${COMP_WORDS[COMP_CWORD]} option=
	# bash breaks words at "=": "--fit=r" comes as three of them.
	if [[ $cur == = ]]; then
		option=${COMP_WORDS[COMP_CWORD-1]} cur=
	elif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
		option=${COMP_WORDS[COMP_CWORD-2]}
	else
		option=${COMP_WORDS[COMP_CWORD-1]}
	fi
	case $option in
	--backing) COMPREPLY=($(compgen -W 'host thp null pinned cuda virtual vulkan' -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--compare) COMPREPLY=($(compgen -W 'malloc dlopen:' -- "$cur")); return ;;
	--diagnostics) COMPREPLY=($(compgen -W 'text json' -- "$cur")); return ;;
	--fit) COMPREPLY=($(compgen -W 'buddy run' -- "$cur")); return ;;
	--format) COMPREPLY=($(compgen -W 'rmm rep gc pytorch kv' -- "$cur")); return ;;
	--pattern) COMPREPLY=($(compgen -W 'hot ws lifo fifo random xfree larson burst phase kv all' -- "$cur")); return ;;
	--tier) COMPREPLY=($(compgen -W 'slab buddy reservoir ring pool all' -- "$cur")); return ;;
	--map|--plot|--record|--replay) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
	--arena|--explain|--kv|--ops|--repeat|--seed|--sizes|--threads|--time) return ;;
	esac
	case $cur in
	--*)
		COMPREPLY=($(compgen -W '--arena= --backing= --check --color= --compare= --csv --diagnostics= --dump --explain=
			--fit= --format= --help --json --kv= --map= --min-arena --ops= --pattern= --plot= --quiet --record=
			--repeat= --replay= --seed= --sizes= --sub-bins --threads= --tier= --time= --verbose --version' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace ;;
	-*) COMPREPLY=($(compgen -W '-V -h -q -v' -- "$cur")) ;;
	esac
}
complete -F _gc_arena_bench gc-arena-bench
