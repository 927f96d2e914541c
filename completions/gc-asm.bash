# SPDX-License-Identifier: MIT
# bash completion for gc-asm

_gc_asm()
{
	local cur=${COMP_WORDS[COMP_CWORD]} option=
	# bash breaks words at "=": "--target=p" comes as three of them.
	if [[ $cur == = ]]; then
		option=${COMP_WORDS[COMP_CWORD-1]} cur=
	elif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
		option=${COMP_WORDS[COMP_CWORD-2]}
	else
		option=${COMP_WORDS[COMP_CWORD-1]}
	fi
	case $option in
	--target) COMPREPLY=($(compgen -W 'ptx spirv' -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--diagnostics) COMPREPLY=($(compgen -W 'text json' -- "$cur")); return ;;
	--emit) compopt -o nospace; COMPREPLY=($(compgen -W 'gasm json ir cfg' -- "$cur")); return ;;
	--input) COMPREPLY=($(compgen -W 'gasm json stream' -- "$cur")); return ;;
	--out-dir) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
	-o|--output|--limits|-MF) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
	-D|-MQ|-MT|--max-errors|--explain|--name|--workgroup) return ;;
	esac
	case $cur in
	--*)
		COMPREPLY=($(compgen -W '--color= --diagnostics= --emit= --explain= --help --input=
			--json --limits= --list-opcodes --max-errors= --name= --out-dir= --output=
			--quiet --reflect --stats --target= --validate --verbose --version --workgroup=' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace ;;
	-*) COMPREPLY=($(compgen -W '-D -M -MD -MF -MP -MQ -MT -O0 -O1 -V -W -g -h -o -q -v -w' -- "$cur")) ;;
	*)
		compopt -o filenames
		COMPREPLY=($(compgen -f -X '!*.@(gasm|json)' -- "$cur") $(compgen -d -- "$cur")) ;;
	esac
}
complete -F _gc_asm gc-asm
