# SPDX-License-Identifier: MIT
# bash completion for gc-spv-val

_gc_spv_val()
{
	local cur=${COMP_WORDS[COMP_CWORD]} option=
	# bash breaks words at "=": "--level=f" comes as three of them.
	if [[ $cur == = ]]; then
		option=${COMP_WORDS[COMP_CWORD-1]} cur=
	elif [[ ${COMP_WORDS[COMP_CWORD-1]} == = ]]; then
		option=${COMP_WORDS[COMP_CWORD-2]}
	else
		option=${COMP_WORDS[COMP_CWORD-1]}
	fi
	case $option in
	--target-env)
		COMPREPLY=($(compgen -W 'vulkan1.0 vulkan1.1 vulkan1.1spv1.4 vulkan1.2 vulkan1.3
			spv1.0 spv1.1 spv1.2 spv1.3 spv1.4 spv1.5 spv1.6' -- "$cur")); return ;;
	--level) COMPREPLY=($(compgen -W 'framing module full' -- "$cur")); return ;;
	--compat) COMPREPLY=($(compgen -W 'spirv-val' -- "$cur")); return ;;
	--against) COMPREPLY=($(compgen -W 'spirv-tools' -- "$cur")); return ;;
	--color) COMPREPLY=($(compgen -W 'auto always never' -- "$cur")); return ;;
	--diagnostics) COMPREPLY=($(compgen -W 'text json' -- "$cur")); return ;;
	--limits) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
	*-max-*|--explain) return ;;
	esac
	case $cur in
	--*)
		COMPREPLY=($(compgen -W '--against= --allow-localsizeid --before-hlsl-legalization --color=
			--compat= --diagnostics= --explain= --help --json --level= --limits=
			--max-access-chain-indexes= --max-control-flow-nesting-depth= --max-errors=
			--max-function-args= --max-global-variables= --max-id-bound=
			--max-local-variables= --max-struct-depth= --max-struct-members=
			--max-switch-branches= --quiet --relax-block-layout --relax-logical-pointer
			--relax-struct-store --scalar-block-layout --skip-block-layout --target-env=
			--uniform-buffer-standard-layout --verbose --version
			--workgroup-scalar-block-layout' -- "$cur"))
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace ;;
	-*) COMPREPLY=($(compgen -W '-V -h -q -v' -- "$cur")) ;;
	*)
		compopt -o filenames
		COMPREPLY=($(compgen -f -X '!*.spv' -- "$cur") $(compgen -d -- "$cur")) ;;
	esac
}
complete -F _gc_spv_val gc-spv-val
