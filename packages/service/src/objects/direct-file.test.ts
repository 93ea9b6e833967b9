import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MIB } from '@cairn/protocol'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { alignmentBytes, allocateAligned } from './aligned-bytes.ts'
import { type DirectFile, openDirectFile } from './direct-file.ts'
import { hasDirectIo } from './direct-io.fixture.ts'

const isSupported = await hasDirectIo()

let folder = ''
let path = ''
let file: FileHandle
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-direct-'))
  path = join(folder, 'file')
  file = await open(path, 'wx+')
})
afterEach(async () => {
  await file.close()
  await rm(folder, { recursive: true })
})

async function openHere(sizeBytes: number): Promise<DirectFile> {
  const direct = await openDirectFile(path, file, sizeBytes)
  if (direct === undefined) throw new Error('the file system takes no direct writes')
  return direct
}

/** The bytes, in memory that starts at the same offset from a page as `position` from a block. */
function alignedCopy(bytes: Uint8Array, position: number): Uint8Array {
  const lead = position % alignmentBytes
  const memory = allocateAligned(lead + bytes.length)
  memory.set(bytes, lead)
  return memory.subarray(lead)
}

test.skipIf(!isSupported)('continues a file of any length with parts of any length', async () => {
  const lengths = [0, 1, 59, 4095, 4096, 4097, 8192, 100_003, MIB, MIB + 1, 3 * MIB + 17]
  for (const [round, sizeBytes] of [0, 1, 4095, 4096, 5000, MIB + 3].entries()) {
    await file.truncate(0)
    const parts = [randomBytes(sizeBytes)]
    await file.write(parts[0] ?? Buffer.alloc(0), 0, sizeBytes, 0)
    const direct = await openHere(sizeBytes)
    let position = sizeBytes
    for (let turn = 0; turn < 20; turn++) {
      const bytes = randomBytes(lengths[(turn * 7 + round) % lengths.length] ?? 0)
      parts.push(bytes)
      await direct.append([turn % 2 === 0 ? alignedCopy(bytes, position) : bytes, randomBytes(0)])
      position += bytes.length
      // Bytes of an incomplete block wait for the rest.
      expect((await file.stat()).size).toBe(Math.max(sizeBytes, position - (position % alignmentBytes)))
    }
    await direct.finish()
    await direct.close()
    expect(Buffer.compare(await readFile(path), Buffer.concat(parts))).toBe(0)
  }
})

test.skipIf(!isSupported)('fails with a file that was truncated meanwhile', async () => {
  await expect(openDirectFile(path, file, 10)).rejects.toThrow('shorter than what was written')
})
