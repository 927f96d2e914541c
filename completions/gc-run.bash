# SPDX-License-Identifier: MIT
# bash completion for gc-run

_gc_run()
{
	local cur=${COMP_WORDS[COMP_CWORD]} option=
	# bash breaks words at "=": "--device=c" comes as three of them.
	if [[ $cur == = ]]; then
		option=${COMP_WORDS[COMP_CWORD-1]} cur=
	elif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
		option=${COMP_WORDS[COMP_CWORD-2]}
	else
		option=${COMP_WORDS[COMP_CWORD-1]}
	fi
	case $option in
	-d|--device) COMPREPLY=($(compgen -W 'auto cpu cuda vulkan' -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--compare) COMPREPLY=($(compgen -W 'cpu,cuda cpu,vulkan cuda,vulkan' -- "$cur")); return ;;
	--diagnostics) COMPREPLY=($(compgen -W 'text json' -- "$cur")); return ;;
	--dump) COMPREPLY=($(compgen -W 'ptx spirv' -- "$cur")); return ;;
	--isa) COMPREPLY=($(compgen -W 'baseline x86-64-v3 x86-64-v4' -- "$cur")); return ;;
	--job|--reflect) compopt -o filenames; COMPREPLY=($(compgen -f -X '!*.json' -- "$cur")); return ;;
	-g|-k|-o|-D|-W|--atol|--expect|--explain|--global|--groups|--kernel|--output|--rtol|--runs|--seed|--subgroup|--threads|--timeout) return ;;
	esac
	case $cur in
	--*)
		COMPREPLY=($(compgen -W '--atol= --bench --check --color= --compare= --device= --diagnostics= --dry-run
			--dump= --expect= --explain= --global= --groups= --help --isa= --job= --json
			--kernel= --list-devices --no-cache --output= --plot= --quiet --reflect= --rtol= --runs= --seed= --subgroup=
			--threads= --time --timeout= --verbose --version' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace ;;
	-*) COMPREPLY=($(compgen -W '-D -O0 -O1 -V -W -d -g -h -k -o -q -v -w' -- "$cur")) ;;
	:*) compopt -o nospace; COMPREPLY=($(compgen -W 'zeros: iota: uniform: normal:' -- "${cur#:}")) ;;
	*)
		compopt -o filenames
		COMPREPLY=($(compgen -f -X '!*.@(gasm|json|spv|ptx)' -- "$cur") $(compgen -d -- "$cur")) ;;
	esac
}
complete -F _gc_run gc-run
