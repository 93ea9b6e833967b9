import { expect, test } from 'vitest'
import { createUserPriority, type UserPriority } from './user-priority.ts'

const { signal } = new AbortController()

/** A clock that moves only during a sleep. `onSleep` runs meanwhile. */
function createTestClock(onSleep: () => void = () => undefined) {
  const clock = {
    ms: 1_000,
    now: () => clock.ms,
    async sleep(ms: number) {
      clock.ms += ms
      onSleep()
    },
  }
  return clock
}

test('background work does not wait while no upload writes', async () => {
  const clock = createTestClock()
  const priority = createUserPriority(clock)
  await priority.begin().giveWay(signal)
  priority.noteTransfer()
  clock.ms += 500
  await priority.begin().giveWay(signal)
  expect(clock.ms).toBe(1_500)
})

test('background work waits until an upload has been quiet for 500 ms', async () => {
  const clock = createTestClock()
  const priority = createUserPriority(clock)
  priority.noteTransfer()
  await priority.begin().giveWay(signal)
  expect(clock.ms).toBe(1_500)
})

test('background work waits 5 s for uploads that do not end, and then as long as it works', async () => {
  const clock = createTestClock(() => priority.noteTransfer())
  const priority: UserPriority = createUserPriority(clock)
  const work = priority.begin()
  priority.noteTransfer()
  await work.giveWay(signal)
  expect(clock.ms).toBe(6_000)
  let worked = 0
  for (let step = 0; step < 1_000; step++) {
    clock.ms += 10
    worked += 10
    priority.noteTransfer()
    await work.giveWay(signal)
  }
  const waited = clock.ms - 6_000 - worked
  expect(waited / worked).toBeCloseTo(1, 1)
})

test('the wait ends with the reason of its signal', async () => {
  const clock = createTestClock(() => stop.abort(new Error('the provider is gone')))
  const stop = new AbortController()
  const priority = createUserPriority(clock)
  priority.noteTransfer()
  await expect(priority.begin().giveWay(stop.signal)).rejects.toThrow('the provider is gone')
})
