/**
 * Runs a command as process 1 of its own PID namespace (util-linux). Root may create PID namespaces; others need
 * a user namespace around it.
 */
export const unshare = ['unshare', ...(process.getuid?.() === 0 ? [] : ['-Ur']), '-pf', '--kill-child']
