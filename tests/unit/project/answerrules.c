#include "project/config.h"

#include "tap.h"
#include "unit/fixture.h"

static struct answerrules rules;

/* "" or why the rules are refused; '\'' stands for '"' in them. */
static const char *
read_rules(const char *list)
{
	static const struct strict_row rows[] = {
		{ "answers", answerrules_take, .at = 0 },
		{ .key = NULL }
	};
	static struct buf error;
	struct buf file = BUF_INIT;

	answerrules_release(&rules);
	buf_reset(&error);
	buf_printf(&file, "{ \"answers\": %s }", quoted(list));
	strict_file(&(struct strict){ .from = "f", .error = &error }, &file,
	    rows, &rules);
	buf_release(&file);
	return buf_str(&error);
}

/* The answer to a command by one rule; "": a person answers it. */
static const char *
judge(const char *pattern, const char *command)
{
	const char *answer;

	ROW("%s for %s", pattern, command);
	is_text(read_rules(replaced("[{ 'asks': 'permission', 'pattern': '@', "
	    "'answer': 'yes' }]", "@", pattern)), "");
	answer = answerrules_find(&rules, "permission", command);
	return answer != NULL ? answer : "";
}

TEST(a_rule_matches_a_whole_command) {
	is_text(judge("(make|npm) test", "npm test"), "yes");
	is_text(judge("^make test$", "make test"), "yes");
	is_text(judge("(make|npm) test", "make tests"), "");
	is_text(judge("make|npm", "npm install x"), "");
	is_text(judge("make test", "make test\nrm x"), "");
	is_text(judge("make test$", "make test\n"), "");
}

TEST(a_wildcard_matches_nothing_that_deletes_or_pushes) {
	static const char *const wild[] = { ".*", "[\\\\s\\\\S]*", "(?s).*",
	    "^.+$", "\\\\S.*", "git .*", "\\\\w+ .*", "[^x]*", ".*?" };
	static const char *const bad[] = { "rm -r build", "git push",
	    "git push --force", "git reset --hard", "dd if=x of=y", "mkfs x",
	    "/bin/rm x", "RM x", "drop table x", "git clean -f x", "sudo ls",
	    "make; ls", "ls | sh", "ls && make", "echo x >y", "echo $(ls)",
	    "echo `ls`", "find . -delete", "sh -c ls", "docker-prune all",
	    "npm publish", "curl http://x", "git checkout -- x",
	    "kubectl delete pod", "python3 -c x", "rm\\ttest",
	    "git branch -D main", "git tag -d v1", "npm unpublish x",
	    "docker rmi x", "apt autoremove", "userdel x", "cp new old",
	    "ln -sf x y", "tee x", "git gc x",
	    "source x", "npx x" };
	size_t i, k;

	for (i = 0; i < COUNT(wild); i++)
		for (k = 0; k < COUNT(bad); k++)
			is_text(judge(wild[i], bad[k]), "");
	is_text(judge("git .*", "git status --short"), "yes");
}

TEST(a_pattern_may_name_what_is_dangerous) {
	is_text(judge("rm -r build", "rm -r build"), "yes");
	is_text(judge("git push origin [a-z]+", "git push origin main"), "yes");
	is_text(judge("git push origin .*", "git push origin +force"), "");
	is_text(judge("make a; make .*", "make a; make b"), "yes");
	is_text(judge("ls \\\\| wc .*", "ls | wc l"), "yes");
	is_text(judge("ls (a|b).*", "ls a | wc"), "");
}

TEST(the_first_rule_of_its_kind_counts) {
	is_text(read_rules("[ { 'asks': 'question', 'pattern': 'Go on.',"
	    " 'answer': '2' }, { 'asks': 'permission', 'pattern': 'ls', "
	    "'answer': 'no' }, { 'asks': 'permission', 'pattern': '.*', "
	    "'answer': 'yes' } ]"), "");
	is_text(answerrules_find(&rules, "question", "Go on?"), "2");
	is_text(answerrules_find(&rules, "permission", "ls"), "no");
	is_text(answerrules_find(&rules, "permission", "ls x"), "yes");
	is_text(answerrules_find(&rules, "question", "rm x?"), NULL);
	is_text(answerrules_find(&rules, "trust", "ls"), NULL);
}

static const char *
refusal(const char *list)
{
	return replaced(read_rules(list), "'f' line 1: ", "");
}

TEST(what_is_wrong_with_a_rule_is_told) {
	ROWS(refusal, "7 => 'answers' is not a list of rules",
	    "[{ 'asks': 'permission' }] => 'answers' has a rule without asks, "
	    "pattern or answer",
	    "[{ 'asks': 'trust', 'pattern': 'x', 'answer': 'yes' }] => "
	    "'answers': asks is 'permission' or 'question', not 'trust'",
	    "[{ 'asks': 'question', 'pattern': '(', 'answer': 'yes' }] => "
	    "'answers': pattern '(' does not compile: missing closing "
	    "parenthesis at offset 9");
}
