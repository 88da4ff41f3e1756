/* What all tests of a program share: a lab, and one that has no prefilter. */
#ifndef TESTS_DIAGNOSE_LABS_H
#define TESTS_DIAGNOSE_LABS_H

#include "tests/diagnose/lab.h"

static struct lab lab, without;

static inline int labs_setup_one(void **state)
{
	(void)state;
	lab_open(&lab, true);
	return 0;
}

static inline int labs_setup(void **state)
{
	lab_open(&without, false);
	return labs_setup_one(state);
}

static inline int labs_teardown(void **state)
{
	(void)state;
	lab_close(&lab);
	lab_close(&without);
	return 0;
}

#endif
