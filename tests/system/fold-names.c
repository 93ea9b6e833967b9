// Loaded into a process with LD_PRELOAD: below the folder that CAIRN_TEST_FOLDED names, names that differ only in the case of
// ASCII letters are one, as on the usual file systems of macOS and Windows. A name is stored in small letters.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/** Returns the path under which the name is stored; `buffer` keeps it if it differs. */
static const char *fold(const char *path, char *buffer) {
  const char *folder = getenv("CAIRN_TEST_FOLDED");
  if (folder == NULL || path == NULL || strlen(path) >= 4096) return path;
  size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0 || path[length] != '/') return path;
  strcpy(buffer, path);
  for (char *at = buffer + length; *at != 0; at++)
    if (*at >= 'A' && *at <= 'Z') *at += 'a' - 'A';
  return buffer;
}

#define REAL(name, type) ((type)dlsym(RTLD_NEXT, name))

static mode_t read_mode(int flags, va_list values) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(values, mode_t) : 0; }

int open(const char *path, int flags, ...) {
  char buffer[4096];
  va_list values;
  va_start(values, flags);
  mode_t mode = read_mode(flags, values);
  va_end(values);
  return REAL("open", int (*)(const char *, int, ...))(fold(path, buffer), flags, mode);
}

int open64(const char *path, int flags, ...) {
  char buffer[4096];
  va_list values;
  va_start(values, flags);
  mode_t mode = read_mode(flags, values);
  va_end(values);
  return REAL("open64", int (*)(const char *, int, ...))(fold(path, buffer), flags, mode);
}

int mkdir(const char *path, mode_t mode) {
  char buffer[4096];
  return REAL("mkdir", int (*)(const char *, mode_t))(fold(path, buffer), mode);
}

int unlink(const char *path) {
  char buffer[4096];
  return REAL("unlink", int (*)(const char *))(fold(path, buffer));
}

int rmdir(const char *path) {
  char buffer[4096];
  return REAL("rmdir", int (*)(const char *))(fold(path, buffer));
}

int rename(const char *from, const char *to) {
  char buffers[2][4096];
  return REAL("rename", int (*)(const char *, const char *))(fold(from, buffers[0]), fold(to, buffers[1]));
}

int link(const char *from, const char *to) {
  char buffers[2][4096];
  return REAL("link", int (*)(const char *, const char *))(fold(from, buffers[0]), fold(to, buffers[1]));
}

int symlink(const char *target, const char *path) {
  char buffer[4096];
  return REAL("symlink", int (*)(const char *, const char *))(target, fold(path, buffer));
}

/** libuv calls `statx` by its number. */
long syscall(long number, ...) {
  char buffer[4096];
  long values[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++) values[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_statx) values[1] = (long)fold((const char *)values[1], buffer);
  long (*real)(long, ...) = REAL("syscall", long (*)(long, ...));
  return real(number, values[0], values[1], values[2], values[3], values[4], values[5]);
}
