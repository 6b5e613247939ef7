/*
 * datafile.h - files that come with paneward, or the user's instead.
 *
 * Templates (folder agents) and backends (folder backends) are looked up in
 * four places; the first file found wins: the user's folder of configuration
 * (userfolder.h), the folder of the running program, so that a checkout works
 * uninstalled, ../share/paneward from there, and the data folder of the build.
 */
#ifndef PANEWARD_DATAFILE_H
#define PANEWARD_DATAFILE_H

/* The path of folder/name in the first place that has the file, readable or
 * not.  The caller frees it.  NULL with errno ENOENT if none has it, or if the
 * name is empty, begins with a dot or holds a slash. */
char *datafile_find(const char *folder, const char *name);

/* The same for a path below those places, of a file or a folder. */
char *datafile_path(const char *path);

/* The names of the files in the folder that end so, without that, in all
 * places, sorted, each once; for argv_free(). */
char **datafile_names(const char *folder, const char *suffix);

#endif
