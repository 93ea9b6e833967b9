import { randomBytes } from 'node:crypto'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { maxWriteBytes } from '@cairn/protocol'
import { expect, it } from 'vitest'
import { writeAll } from './write-all.ts'

it('writes all bytes in bounded calls, at their position', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-write-'))
  const file = await open(join(folder, 'file'), 'w')
  try {
    const bytes = randomBytes(3 * maxWriteBytes + 5)
    const lengths: number[] = []
    const write: Parameters<typeof writeAll>[0]['write'] = (...call) => {
      lengths.push(call[2])
      return file.write(...call)
    }
    await writeAll({ write }, bytes, 100)
    expect((await readFile(join(folder, 'file'))).subarray(100).equals(bytes)).toBe(true)
    expect(lengths).toEqual([maxWriteBytes, maxWriteBytes, maxWriteBytes, 5])
  } finally {
    await file.close()
    await rm(folder, { recursive: true })
  }
})
