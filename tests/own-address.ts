/**
 * A loopback address that no other process of a test run binds to, derived from this process id. A service that restarts
 * on one of its ports finds the port free; on 127.0.0.1, any process may get the port in the meantime. Systems other than
 * Linux have only 127.0.0.1.
 */
export const ownAddress =
  process.platform === 'linux'
    ? `127.${64 + ((process.pid >> 16) & 127)}.${(process.pid >> 8) & 255}.${process.pid & 255}`
    : '127.0.0.1'
