import { expect, test } from 'vitest'
import { createSharedRuns } from './shared-runs.ts'

/** Runs that end when the test says so. */
function openRuns() {
  const begun: PromiseWithResolvers<void>[] = []
  const run = createSharedRuns(() => {
    const end = Promise.withResolvers<void>()
    begun.push(end)
    return end.promise
  })
  const at = (index: number): PromiseWithResolvers<void> => {
    const found = begun[index]
    if (found === undefined) throw new Error(`run ${index} has not begun`)
    return found
  }
  return { run, at, count: () => begun.length }
}

test('calls during a run share the next run, which starts after them', async () => {
  const { run, at, count } = openRuns()
  const first = run('a')
  const others = [run('a'), run('a'), run('a')]
  expect(count()).toBe(1)
  at(0).resolve()
  await first
  expect(count()).toBe(2)
  const late = run('a')
  at(1).resolve()
  await Promise.all(others)
  expect(count()).toBe(3)
  at(2).resolve()
  await late
  expect(count()).toBe(3)
})

test('different keys do not wait for each other', async () => {
  const { run, at, count } = openRuns()
  const runs = [run('a'), run('b')]
  expect(count()).toBe(2)
  at(1).resolve()
  await runs[1]
  at(0).resolve()
  await runs[0]
})

test('a failed run fails the calls that wait for the next one, and later calls start again', async () => {
  const { run, at, count } = openRuns()
  const first = run('a')
  const waiting = run('a')
  const both = Promise.allSettled([first, waiting])
  const reason = new Error('the disk failed')
  at(0).reject(reason)
  expect(await both).toEqual([
    { status: 'rejected', reason },
    { status: 'rejected', reason },
  ])
  expect(count()).toBe(1)
  const again = run('a')
  at(1).resolve()
  await again
})
