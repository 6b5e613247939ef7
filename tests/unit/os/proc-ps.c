/*
 * The tests of proc.c beside this, with what works on any system in the place of
 * what is linked.
 */
#include "os/ends-none.c"
#include "os/front-group.c"
#include "os/proc-ps.c"
#include "os/proc.c"
#include "unit/os/proc.c"
