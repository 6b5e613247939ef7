/*
 * datafile.h - files that come with paneward, and the user's in their place.
 *
 * Templates (folder agents) and backends (folder backends) are looked for in
 * four places, the first that has the file wins: the user's
 * $XDG_CONFIG_HOME/paneward (else ~/.config/paneward), the folder of the
 * running program, so that a checkout works without being installed,
 * ../share/paneward from there, and the data folder it was built for.
 */
#ifndef PANEWARD_DATAFILE_H
#define PANEWARD_DATAFILE_H

/*
 * The path of folder/name in the first place where it is a file, readable or
 * not.  The caller frees it.  NULL with errno ENOENT if there is none; a name
 * that is empty, begins with a dot or holds a slash is none.
 */
char *datafile_find(const char *folder, const char *name);

/* Calls take for the name of every file in the folder, in each place. */
void datafile_names(const char *folder, void (*take)(void *, const char *name),
    void *context);

#endif
