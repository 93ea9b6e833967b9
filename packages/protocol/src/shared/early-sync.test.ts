import { expect, it } from 'vitest'
import { createEarlySync } from './early-sync.ts'

/** A file whose syncs end when the test says so, because no disk fails on request. */
function createFile() {
  const syncs: PromiseWithResolvers<void>[] = []
  const datasync = () => {
    const sync = Promise.withResolvers<void>()
    syncs.push(sync)
    return sync.promise
  }
  return { syncs, datasync }
}

it('syncs after each step, one sync at a time', async () => {
  const file = createFile()
  const early = createEarlySync(file, 10)
  early.wrote(9)
  expect(file.syncs).toHaveLength(0)
  early.wrote(1)
  early.wrote(25)
  expect(file.syncs).toHaveLength(1)
  file.syncs[0]?.resolve()
  await early.settle()
  early.wrote(1)
  expect(file.syncs).toHaveLength(2)
  file.syncs[1]?.resolve()
  await early.settle()
})

it('keeps the error of a sync, even if a later one succeeds', async () => {
  const file = createFile()
  const early = createEarlySync(file, 10)
  early.wrote(10)
  file.syncs[0]?.reject(new Error('EIO'))
  await expect(early.settle()).rejects.toThrow('EIO')
  early.wrote(10)
  file.syncs[1]?.resolve()
  expect(early.requireSuccess).toThrow('EIO')
  await expect(early.settle()).rejects.toThrow('EIO')
})
