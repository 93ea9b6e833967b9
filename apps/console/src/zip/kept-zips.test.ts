import { afterEach, expect, test, vi } from 'vitest'
import { openKept } from './kept-zips.ts'

afterEach(() => {
  vi.unstubAllGlobals()
})

test('keeps a ZIP in memory if the browser gives the page no storage', async () => {
  const getDirectory = async () => {
    throw new DOMException('Security error when calling GetDirectory', 'SecurityError')
  }
  vi.stubGlobal('navigator', { storage: { getDirectory } })
  const { target, read, remove } = await openKept()
  const bytes = new Uint8Array([1, 2])
  await target.write(bytes)
  // The buffer of a write may be reused when it returns.
  bytes.set([3, 4])
  await target.write(bytes)
  await target.close()
  expect([...new Uint8Array(await (await read()).arrayBuffer())]).toEqual([1, 2, 3, 4])
  await remove()
  expect((await read()).size).toBe(0)
})
