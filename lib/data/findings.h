/*
 * findings.h - the findings of a doctor, one line or one JSON object each: how
 * bad, what, why it matters, what to do.
 */
#ifndef PANEWARD_FINDINGS_H
#define PANEWARD_FINDINGS_H

#include <stdbool.h>

enum level { OK, WARNING, PROBLEM };

struct findings {
	bool        json, silent;       /* silent prints nothing */
	const char *check;              /* the check that runs */
	enum level  worst;
};

/* Prints a finding; why may be NULL, and todo if nothing is wrong. */
void findings_add(struct findings *, enum level, const char *why,
    const char *todo, const char *what, ...)
    __attribute__((format(printf, 5, 6)));

/* The struct has its findings as "findings". */
#define fine(d, ...) \
	findings_add(&(d)->findings, OK, NULL, NULL, __VA_ARGS__)
#define warning(d, ...) findings_add(&(d)->findings, WARNING, __VA_ARGS__)
#define problem(d, ...) findings_add(&(d)->findings, PROBLEM, __VA_ARGS__)

#endif
