/**
 * Runs a command as process 1 of its own PID namespace (util-linux). Root may make namespaces of processes; others need
 * one of users around it.
 */
export const unshare = ['unshare', ...(process.getuid?.() === 0 ? [] : ['-Ur']), '-pf', '--kill-child']
