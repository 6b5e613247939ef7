/*
 * The tests of proc.c beside this, with what works on any system in the place of
 * what is linked.
 */
#define proc_read    ps_proc_read
#define proc_alive   ps_proc_alive
#define proc_ended   ps_proc_ended
#define proc_open    ps_proc_open
#define proc_ends    ps_proc_ends
#define proc_ends_open ps_proc_ends_open
#define proc_ends_set ps_proc_ends_set
#define proc_ends_next ps_proc_ends_next
#define proc_program_name ps_proc_program_name
#define proc_words   ps_proc_words
#define proc_boot    ps_proc_boot
#define proc_boot_differs ps_proc_boot_differs
#define proc_program ps_proc_program
#define proc_own_path ps_proc_own_path
#define proc_variables ps_proc_variables
#define proc_family  ps_proc_family
#define proc_texts   ps_proc_texts
#define proc_children ps_proc_children
#define proc_group   ps_proc_group
#define proc_front_begin ps_proc_front_begin
#define proc_front_next ps_proc_front_next
#define proc_open_file ps_proc_open_file

#include "os/ends-none.c"
#include "os/front-group.c"
#include "os/proc-ps.c"
#include "os/proc.c"
#include "unit/os/proc.c"
