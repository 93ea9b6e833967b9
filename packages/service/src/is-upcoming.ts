/**
 * Returns whether a time that this process keeps in memory is in the future. A time further ahead than it can be was set while the
 * clock was ahead, and counts as past: otherwise the process would wait, or repeat an old answer, until the clock gets there again.
 * @param maxMs how far ahead of the clock the time was set
 */
export function isUpcoming(time: number, now: number, maxMs: number): boolean {
  return time > now && time <= now + maxMs
}
