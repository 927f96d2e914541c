# SPDX-License-Identifier: MIT
# bash completion for gc-dxbc

_gc_dxbc()
{
	local cur=${COMP_WORDS[COMP_CWORD]} option=
	# bash breaks words at "=": "--as=c" comes as three of them.
	if [[ $cur == = ]]; then
		option=${COMP_WORDS[COMP_CWORD-1]} cur=
	elif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
		option=${COMP_WORDS[COMP_CWORD-2]}
	else
		option=${COMP_WORDS[COMP_CWORD-1]}
	fi
	case $option in
	--as) COMPREPLY=($(compgen -W 'raw bitcode container' -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--diagnostics) COMPREPLY=($(compgen -W 'text json' -- "$cur")); return ;;
	--digest|--require) COMPREPLY=($(compgen -W 'retail debug zero bypass preview' -- "$cur")); return ;;
	--kind) COMPREPLY=($(compgen -W 'cs ps vs gs hs ds ms as lib' -- "$cur")); return ;;
	--part) COMPREPLY=($(compgen -W 'DXIL SHEX SHDR SFI0 HASH ISG1 OSG1 PSV0 RTS0 RDAT STAT RDEF ILDB ILDN PRIV' -- "$cur")); return ;;
	--from-manifest|--resources) compopt -o filenames; COMPREPLY=($(compgen -f -X '!*.json' -- "$cur")); return ;;
	-W|--entry|--explain|--model|--numthreads) return ;;
	esac
	if ((COMP_CWORD == 1)) && [[ $cur != -* ]]; then
		COMPREPLY=($(compgen -W 'list inspect extract pack add replace remove strip sign verify diff hexmap' -- "$cur"))
		return
	fi
	case $cur in
	--*)
		COMPREPLY=($(compgen -W '--all --as= --bitcode --color= --debug --diagnostics= --digest= --entry= --explain=
			--from-manifest= --full --help --json --kind= --model= --numthreads= --output= --part= --private
			--quiet --records --reflection --require= --resources= --rootsignature --strict --svg --unaligned
			--verbose --version' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace ;;
	-*) COMPREPLY=($(compgen -W '-V -W -a -h -o -q -v -w' -- "$cur")) ;;
	*)
		compopt -o filenames
		COMPREPLY=($(compgen -f -- "$cur")) ;;
	esac
}
complete -F _gc_dxbc gc-dxbc
