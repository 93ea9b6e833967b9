import { expect, test } from 'vitest'
import { forEachOf } from './for-each-of.ts'

/** Work that ends when the test says so. */
function createWork() {
  const started: number[] = []
  const pending = new Map<number, PromiseWithResolvers<void>>()
  return {
    started,
    async run(item: number): Promise<void> {
      started.push(item)
      const end = Promise.withResolvers<void>()
      pending.set(item, end)
      await end.promise
    },
    /** Waits until the work of an item has started, and ends it. */
    async end(item: number, error?: Error): Promise<void> {
      await expect.poll(() => pending.has(item)).toBe(true)
      if (error === undefined) pending.get(item)?.resolve()
      else pending.get(item)?.reject(error)
    },
  }
}

async function* count(to: number, onEnd: () => void): AsyncGenerator<number> {
  try {
    for (let item = 1; item <= to; item++) yield item
  } finally {
    onEnd()
  }
}

const noop = () => undefined

test.each([
  ['an iterable', [1, 2, 3, 4]],
  ['an async iterable', count(4, noop)],
])('runs the items of %s in order, at most two at a time', async (_name, items) => {
  const { started, run, end } = createWork()
  const running = forEachOf(items, 2, run)
  await end(2)
  await expect.poll(() => started).toEqual([1, 2, 3])
  for (const item of [3, 1, 4]) await end(item)
  await running
  expect(started).toEqual([1, 2, 3, 4])
})

test('after a failure, starts no more, closes the source and waits for work in progress', async () => {
  const { started, run, end } = createWork()
  const steps: string[] = []
  const failing = expect(
    forEachOf(
      count(9, () => steps.push('source closed')),
      3,
      (item) => run(item).finally(() => steps.push(`${item} ended`)),
    ),
  ).rejects.toThrow('first')
  await end(2, new Error('first'))
  await end(3, new Error('second'))
  await end(1)
  await failing
  expect(started).toEqual([1, 2, 3])
  expect(steps).toEqual(['2 ended', '3 ended', '1 ended', 'source closed'])
})

test('waits for work in progress when the source fails', async () => {
  const { run, end } = createWork()
  const steps: string[] = []
  const source = async function* () {
    yield 1
    throw new Error('no next page')
  }
  const running = forEachOf(source(), 2, (item) => run(item).finally(() => steps.push(`${item} ended`))).catch(
    (error: Error) => steps.push(error.message),
  )
  await end(1)
  await running
  expect(steps).toEqual(['1 ended', 'no next page'])
})

test('ends at once without items', async () => {
  await forEachOf([], 3, () => Promise.reject(new Error('no item')))
})
