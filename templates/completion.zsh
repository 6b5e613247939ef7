#compdef paneward
# zsh completion for paneward, made by 'paneward completion zsh'

_paneward()
{
	local command
	local -a commands verbs

	commands=(
%command(%first(		'<<word>>:<<summary>>'
%)%)		help version
	)
	if (( CURRENT == 2 )); then
		_describe -t commands command commands
		return
	fi
	command="${command:+$command }$words[2]"
	shift words
	(( CURRENT-- ))
%command(%verbs(	if [[ $command == <<word>> ]]; then
	verbs=(<<verbs>>)
	if (( CURRENT == 2 )); then
		_describe -t verbs verb verbs
		return
	fi
	command="${command:+$command }$words[2]"
	shift words
	(( CURRENT-- ))
	fi
%)%)	case $command in
%command(	'<<name>>')
		_arguments -s%option( \
			%letter('(-<<letter>> --<<long>>)'{-<<letter>>,--<<long>>}%)%!letter(--<<long>>%optional(=-%)%)'[<<description>>]%argument(%optional(:%):<<argument>>:%option_ask({compadd -- $(paneward completion <<option_ask>> 2>/dev/null)}%)%option_choice((<<option_choice>>)%)%file(_files%)%)'%) \
			'(- *)'{-h,--help}'[show help]'%choice( \
			'1:choice:(<<choice>>)'%)%ask( \
			'*:<<ask>>:{compadd -- $(paneward completion <<ask>> 2>/dev/null)}' ;;%)%!ask( \
			'*:file:_files' ;;%)
%)	help) _describe -t commands command commands ;;
	*) _files ;;
	esac
}

if [[ $funcstack[1] == _paneward ]]; then
	_paneward "$@"
else
	compdef _paneward paneward
fi
