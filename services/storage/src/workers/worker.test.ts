import { expect, test, vi } from 'vitest'
import { createWakefulLoop, type WorkerClock } from './worker.ts'

/** A clock whose pauses end only when the test says so, or when their signal fires. */
function createHeldClock() {
  const pauses: { ms: number; end: () => void }[] = []
  let onPause: (() => void) | undefined
  const clock: WorkerClock = {
    now: () => 0,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', () => resolve(), { once: true })
        pauses.push({ ms, end: resolve })
        onPause?.()
      }),
  }
  /** Waits for the next pause. */
  const nextPause = async (): Promise<{ ms: number; end: () => void }> => {
    if (pauses.length === 0) await new Promise<void>((resolve) => (onPause = resolve))
    const pause = pauses.shift()
    if (pause === undefined) throw new Error('there is no pause')
    return pause
  }
  return { clock, nextPause }
}

function startLoop(work: () => Promise<void> = async () => undefined) {
  const listeners = new Set<() => void>()
  const db = {
    onCommit: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const { clock, nextPause } = createHeldClock()
  const stop = new AbortController()
  let rounds = 0
  const round = async () => {
    rounds++
    await work()
  }
  const fail = (error: unknown) => {
    throw error
  }
  const loop = createWakefulLoop('job', { db, intervalMs: 500, idleMs: 5000 }, clock, round, fail)
  const done = loop.run(stop.signal)
  const commit = () => {
    for (const listener of listeners) listener()
  }
  return { loop, commit, nextPause, listeners, rounds: () => rounds, stop, done }
}

test('without commits, a round follows after the long pause', async () => {
  const { nextPause, rounds, stop, done, listeners } = startLoop()
  const short = await nextPause()
  expect([short.ms, rounds()]).toEqual([500, 1])
  short.end()
  const long = await nextPause()
  expect([long.ms, rounds()]).toEqual([4500, 1])
  long.end()
  expect((await nextPause()).ms).toBe(500)
  expect(rounds()).toBe(2)
  stop.abort()
  await done
  expect(listeners.size).toBe(0)
})

test('a commit ends the long pause, and one during the short pause or the round prevents it', async () => {
  let duringRound: (() => void) | undefined
  const { commit, nextPause, rounds, stop, done } = startLoop(async () => duringRound?.())
  ;(await nextPause()).end()
  const long = await nextPause()
  expect([long.ms, rounds()]).toEqual([4500, 1])
  commit()
  const second = await nextPause()
  expect([second.ms, rounds()]).toEqual([500, 2])
  duringRound = () => {
    duringRound = undefined
    commit()
  }
  commit()
  second.end()
  const third = await nextPause()
  expect([third.ms, rounds()]).toEqual([500, 3])
  third.end()
  const fourth = await nextPause()
  expect([fourth.ms, rounds()]).toEqual([500, 4])
  fourth.end()
  expect((await nextPause()).ms).toBe(4500)
  stop.abort()
  await done
})

test('only the first of several commits ends a pause', async () => {
  const { commit, nextPause, stop, done } = startLoop()
  ;(await nextPause()).end()
  await nextPause()
  const abort = vi.spyOn(AbortController.prototype, 'abort')
  for (let count = 0; count < 3; count++) commit()
  expect(abort).toHaveBeenCalledTimes(1)
  abort.mockRestore()
  await nextPause()
  stop.abort()
  await done
})

test('wake ends the long pause', async () => {
  const { loop, nextPause, rounds, stop, done } = startLoop()
  ;(await nextPause()).end()
  expect((await nextPause()).ms).toBe(4500)
  loop.wake()
  await nextPause()
  expect(rounds()).toBe(2)
  stop.abort()
  await done
})
