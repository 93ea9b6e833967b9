/**
 * A loopback address that no other process of a test run binds to, derived from the id of this one. A service that restarts
 * on a port of it finds the port free: on 127.0.0.1, any process may be given the port in the meantime. Systems other than
 * Linux have 127.0.0.1 alone.
 */
export const ownAddress =
  process.platform === 'linux'
    ? `127.${64 + ((process.pid >> 16) & 127)}.${(process.pid >> 8) & 255}.${process.pid & 255}`
    : '127.0.0.1'
