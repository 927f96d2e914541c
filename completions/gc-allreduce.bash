# SPDX-License-Identifier: MIT
# bash completion for gc-allreduce

_gc_allreduce()
{
	local cur=${COMP_WORDS[COMP_CWORD]} option=
	# bash breaks words at "=": "--op=sum" comes as three of them.
	if [[ $cur == = ]]; then
		option=${COMP_WORDS[COMP_CWORD-1]} cur=
	elif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
		option=${COMP_WORDS[COMP_CWORD-2]}
	else
		option=${COMP_WORDS[COMP_CWORD-1]}
	fi
	case $option in
	--algo) COMPREPLY=($(compgen -W 'auto ring doubling fold' -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--diagnostics) COMPREPLY=($(compgen -W 'text json' -- "$cur")); return ;;
	--engine) COMPREPLY=($(compgen -W 'ring' -- "$cur")); return ;;
	--isa) COMPREPLY=($(compgen -W 'baseline x86-64-v3 x86-64-v4 neon' -- "$cur")); return ;;
	--op) COMPREPLY=($(compgen -W 'sum prod avg min max minnum maxnum' -- "$cur")); return ;;
	--transport) COMPREPLY=($(compgen -W 'inproc shm tcp' -- "$cur")); return ;;
	-d|--type) COMPREPLY=($(compgen -W 'f32 f64 f16 bf16 i8 u8 i32 u32 i64 u64' -- "$cur")); return ;;
	-i|-o|--input|--output|--timeline|--token-file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
	esac
	case $cur in
	--*)
		COMPREPLY=($(compgen -W '--addr= --algo= --bind= --channels= --check --color= --congestion= --csv --deterministic
			--diagnostics= --dry-run --engine= --explain= --explain-algo --full --help --if= --in-place --input=
			--isa= --iters= --json --maxbytes= --minbytes= --op= --output= --piece= --plant-fault --port-base=
			--private --quiet --random --rank= --ranks= --seed= --size= --step= --stepfactor= --timeline=
			--timeout= --token-file= --transport= --type= --verbose --version --warmup=' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace ;;
	-*) COMPREPLY=($(compgen -W '-V -b -c -d -e -f -h -i -n -o -q -v -w' -- "$cur")) ;;
	esac
}
complete -F _gc_allreduce gc-allreduce
