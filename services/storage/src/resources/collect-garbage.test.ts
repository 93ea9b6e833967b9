import { getHeapSpaceStatistics } from 'node:v8'
import { expect, test } from 'vitest'
import { collectGarbage } from './collect-garbage.ts'

test('frees what is not used, and shrinks the young generation', async () => {
  const youngBytes = () =>
    getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0
  let dropped: number[][] | undefined = Array.from({ length: 100_000 }, (_, at) => [at])
  const reference = new WeakRef(dropped)
  const grownBytes = youngBytes()
  dropped = undefined
  await collectGarbage()
  expect(reference.deref()).toBeUndefined()
  expect(youngBytes()).toBeLessThan(grownBytes)
})
