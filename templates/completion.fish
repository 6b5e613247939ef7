# fish completion for paneward, made by 'paneward completion fish'

function __paneward_command
	set -l words (commandline -opc)
	set -e words[1]
	string match -q -- "$argv *" "$words "
end

function __paneward_next
	set -l words (commandline -opc)
	set -e words[1]
	test "$words" = "$argv"
end

complete -c paneward -n __paneward_next -l help -l version -f -a 'help version'
%command(%verbs(complete -c paneward -n __paneward_next -f -a <<word>>
%)%verb(complete -c paneward -n '__paneward_next <<word>>' -f -a <<verb>> -d '<<summary>>'
%)%!verb(complete -c paneward -n '__paneward_next; or __paneward_next help' -f -a <<word>> -d '<<summary>>'
%)%option(complete -c paneward -n '__paneward_command <<name>>' -l <<long>>%letter( -s <<letter>>%)%required( -r%)%option_ask( -f -a '(paneward completion <<option_ask>> 2>/dev/null)'%)%option_choice( -f -a '<<option_choice>>'%) -d '<<help>>'
%)%ask(complete -c paneward -n '__paneward_command <<name>>' -f -a '(paneward completion <<ask>> 2>/dev/null)'
%)%choice(complete -c paneward -a '<<choice>>' -n '__paneward_command <<name>>'
%)%)