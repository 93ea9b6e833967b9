// Loaded into a process with LD_PRELOAD: decides which calls on unfinished packs (`…/packs/tmp/…`) wait for which, and what
// becomes of some of them, so that a fault meets a write while others are under way, whatever the speed of the machine.
// strace cannot: it counts the calls of each thread by itself, and which thread makes which call is up to the system.
//
// CAIRN_TEST_WRITE_FAULTS names a file with a plan, which is read and removed at the next such call:
//   early | late               early: victims act when all companions have begun, and companions continue when all victims
//                              have acted; late: victims act when all companions have returned
//   companion AT LENGTH        a write, by its position and length
//   victim AT LENGTH ACTION    EIO, ENOSPC, ZERO (accepts no byte), SHORT (accepts half) or KILL
//   victim sync 0 ACTION       the next datasync
// A write of several parts counts as one of their length, and is never SHORT.
// Beside it, with `.log` after its name, each call is noted when it ends: `write AT LENGTH RESULT` or `sync RESULT`, and each
// victim: `met AT ACTION`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MAX_CALLS = 64 };
static const long long SYNC = -1;

typedef struct {
  long long at;
  long long length;
  char action[8]; // empty for a companion
  int begun;
  int ended;
} Call;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static Call calls[MAX_CALLS];
static int call_count = 0;
static int is_early = 0;

static void note(const char *format, ...) {
  char path[4096];
  snprintf(path, sizeof path, "%s.log", getenv("CAIRN_TEST_WRITE_FAULTS"));
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  va_list values;
  va_start(values, format);
  vdprintf(fd, format, values);
  va_end(values);
  close(fd);
}

static int is_pack(int fd) {
  if (getenv("CAIRN_TEST_WRITE_FAULTS") == NULL) return 0;
  char link[64];
  char path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, "/packs/tmp/") != NULL;
}

static int count_open(int victims, int begun) {
  int count = 0;
  for (int i = 0; i < call_count; i++)
    if ((calls[i].action[0] != 0) == victims && !(begun ? calls[i].begun : calls[i].ended)) count++;
  return count;
}

/** Reads the next plan once every victim of the last has acted. */
static void read_plan(void) {
  if (count_open(1, 0) > 0) return;
  const char *path = getenv("CAIRN_TEST_WRITE_FAULTS");
  FILE *file = fopen(path, "r");
  if (file == NULL) return;
  char line[128];
  call_count = 0;
  while (fgets(line, sizeof line, file) != NULL && call_count < MAX_CALLS) {
    Call call = {0};
    if (strncmp(line, "early", 5) == 0) is_early = 1;
    else if (strncmp(line, "late", 4) == 0) is_early = 0;
    else if (sscanf(line, "victim sync %lld %7s", &call.length, call.action) == 2) {
      call.at = SYNC;
      calls[call_count++] = call;
    } else if (sscanf(line, "victim %lld %lld %7s", &call.at, &call.length, call.action) == 3 ||
               sscanf(line, "companion %lld %lld", &call.at, &call.length) == 2)
      calls[call_count++] = call;
    else abort();
  }
  fclose(file);
  unlink(path);
}

/** Begins a call, which waits for others as the plan says. Returns what the plan does with it, or NULL. */
static Call *begin(long long at, long long length) {
  pthread_mutex_lock(&mutex);
  read_plan();
  Call *found = NULL;
  for (int i = 0; i < call_count && found == NULL; i++)
    if (calls[i].at == at && calls[i].length == length && !calls[i].begun) found = &calls[i];
  if (found != NULL) {
    found->begun = 1;
    pthread_cond_broadcast(&changed);
    if (found->action[0] != 0)
      while (count_open(0, is_early) > 0) pthread_cond_wait(&changed, &mutex);
    else if (is_early)
      while (count_open(1, 0) > 0) pthread_cond_wait(&changed, &mutex);
  }
  if (found != NULL && found->action[0] != 0) {
    note("met %lld %s\n", at, found->action);
    // Under the lock, so that no companion goes on.
    if (strcmp(found->action, "KILL") == 0) {
      kill(getpid(), SIGKILL);
      for (;;) pause();
    }
  }
  pthread_mutex_unlock(&mutex);
  return found;
}

static void end(Call *call) {
  if (call == NULL) return;
  pthread_mutex_lock(&mutex);
  call->ended = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

/** Whether the call fails; the error is in errno. */
static int fails(const Call *call) {
  if (call == NULL) return 0;
  if (strcmp(call->action, "EIO") == 0) errno = EIO;
  else if (strcmp(call->action, "ENOSPC") == 0) errno = ENOSPC;
  else return 0;
  return 1;
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  ssize_t (*real)(int, const void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pwrite64");
  if (!is_pack(fd)) return real(fd, bytes, length, at);
  Call *call = begin(at, length);
  ssize_t result;
  if (fails(call)) result = -1;
  else if (call != NULL && strcmp(call->action, "ZERO") == 0) result = 0;
  else if (call != NULL && strcmp(call->action, "SHORT") == 0) result = real(fd, bytes, length / 2, at);
  else result = real(fd, bytes, length, at);
  int error = errno;
  note("write %lld %zu %zd\n", (long long)at, length, result);
  end(call);
  errno = error;
  return result;
}

ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  ssize_t (*real)(int, const struct iovec *, int, off64_t) = dlsym(RTLD_NEXT, "pwritev64");
  if (!is_pack(fd)) return real(fd, parts, count, at);
  size_t length = 0;
  for (int i = 0; i < count; i++) length += parts[i].iov_len;
  Call *call = begin(at, length);
  ssize_t result;
  if (fails(call)) result = -1;
  else if (call != NULL && strcmp(call->action, "ZERO") == 0) result = 0;
  else result = real(fd, parts, count, at);
  int error = errno;
  note("write %lld %zu %zd\n", (long long)at, length, result);
  end(call);
  errno = error;
  return result;
}

int fdatasync(int fd) {
  int (*real)(int) = dlsym(RTLD_NEXT, "fdatasync");
  if (!is_pack(fd)) return real(fd);
  Call *call = begin(SYNC, 0);
  int result = fails(call) ? -1 : real(fd);
  int error = errno;
  note("sync %d\n", result);
  end(call);
  errno = error;
  return result;
}
