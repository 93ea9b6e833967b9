import { readFile } from 'node:fs/promises'

/**
 * How often one thread made each call in a trace of strace (`-f -qq`), because strace counts the calls of each
 * thread separately, and injects by that count.
 */
export async function countCalls(traceFile: string): Promise<Map<string, number>> {
  const byThread = new Map<string, number>()
  const counts = new Map<string, number>()
  for (const line of (await readFile(traceFile, 'utf8')).split('\n')) {
    const [, thread, call] = /^(\d+)\s+(\w+)\(/.exec(line) ?? []
    if (call === undefined) continue
    const count = (byThread.get(`${call} ${thread}`) ?? 0) + 1
    byThread.set(`${call} ${thread}`, count)
    counts.set(call, Math.max(count, counts.get(call) ?? 0))
  }
  return counts
}

/** Every call up to number `allUpTo`, then every `step`-th: many small writes are all alike. */
export function choosePoints(
  counts: ReadonlyMap<string, number>,
  { calls, allUpTo, step }: { calls: readonly string[]; allUpTo: number; step: number },
): [call: string, nth: number][] {
  const points: [string, number][] = []
  for (const call of calls) {
    for (let at = 1; at <= (counts.get(call) ?? 0); at += at < allUpTo ? 1 : step) points.push([call, at])
  }
  return points
}
