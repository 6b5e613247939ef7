/*
 * findings.h - a doctor's findings, one line or JSON object each.
 */
#ifndef PANEWARD_FINDINGS_H
#define PANEWARD_FINDINGS_H

#include <stdbool.h>

enum level { OK, WARNING, PROBLEM };

struct findings {
	bool        json;
	const char *check;
	enum level  worst;
};

/* why may be NULL; with OK, todo too. */
void findings_add(struct findings *, enum level, const char *why,
    const char *todo, const char *what, ...)
    __attribute__((format(printf, 5, 6)));

#define fine(d, ...) \
	findings_add(&(d)->findings, OK, NULL, NULL, __VA_ARGS__)
#define warning(d, ...) findings_add(&(d)->findings, WARNING, __VA_ARGS__)
#define problem(d, ...) findings_add(&(d)->findings, PROBLEM, __VA_ARGS__)

#endif
