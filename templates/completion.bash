# bash completion for paneward, made by 'paneward completion bash'

_paneward()
{
	local word=${COMP_WORDS[COMP_CWORD]}
	local before=${COMP_WORDS[COMP_CWORD - 1]}
	local options='--help --version' words=

	case "$COMP_CWORD:${COMP_WORDS[1]} ${COMP_WORDS[2]}" in
	1:* | 2:'help '*) words='%command(%first(<<word>> %)%)'
		[[ $COMP_CWORD = 2 ]] || words+='help version --help --version' ;;
%command(%verbs(	2:'<<word>> '*) options=--help words='<<verbs>>' ;;
%)	*:'<<name>>%verb(')%)%!verb( '*)%)
		options='%option(--<<long>> %)--help' words=%ask($(paneward completion <<ask>> 2>/dev/null)%)%choice('<<choice>>'%)
		case $before in
%option(%required(		--<<long>>%letter( | -<<letter>>%)) options= words=%option_ask($(paneward completion <<option_ask>> 2>/dev/null)%)%option_choice('<<option_choice>>'%) ;;
%)%)		esac ;;
%)	esac
	[[ $word != -* ]] || words=$options
	COMPREPLY=($(compgen -W "$words" -- "$word"))
}

complete -o default -F _paneward paneward
