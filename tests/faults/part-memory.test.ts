import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MIB } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { createTestKey } from '../fixtures.ts'
import { type StorageProcess, startStorageProcess } from './storage-process.ts'

const small = ['--max-old-space-size=256', '--expose-gc']

test('60,000 tiny files fit into a heap of 256 MB, and each needs few bytes while they arrive', async () => {
  const program = join(import.meta.dirname, 'part-memory-program.ts')
  const args = [...small, '--conditions=@cairn/source', program, '60000']
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const report = JSON.parse(stdout) as { roots: number; bytesPerPart: number }
  expect(report.roots).toBe(1)
  expect(report.bytesPerPart).toBeGreaterThan(50)
  expect(report.bytesPerPart).toBeLessThan(700)
}, 300_000)

function tinyFiles(count: number, seed: string): Buffer {
  const parts: string[] = []
  for (let i = 0; i < count; i++) {
    const name = `holiday pictures/${seed}/IMG_${String(i).padStart(8, '0')}.jpg`
    parts.push(
      `--b\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n${seed} ${i}\r\n`,
    )
  }
  return Buffer.from(`${parts.join('')}--b--\r\n`)
}

async function send(storage: StorageProcess, apiKey: string, body: Buffer, query = '', encryption = 'false') {
  const answer = await fetch(`${storage.api}/api/v0/add${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'multipart/form-data; boundary=b', encryption },
    body: new Uint8Array(body),
  })
  const text = await answer.text()
  return { status: answer.status, code: answer.headers.get('x-cairn-code'), headers: answer.headers, text }
}

test('two concurrent uploads of 60,000 tiny files fit into a heap of 256 MB, and their memory is released', async () => {
  const home = await mkdtemp(join(tmpdir(), 'cairn-parts-'))
  const storage = await startStorageProcess(home, {}, { nodeOptions: small })
  try {
    const { apiKey } = await createTestKey({ profile: storage })
    const both = await Promise.all(
      ['one', 'two'].map((seed) => send(storage, apiKey, tinyFiles(60_000, seed), '?wrap-with-directory=true')),
    )
    for (const [index, seed] of ['one', 'two'].entries()) {
      expect(both[index]?.status).toBe(200)
      const { Hash: cid } = JSON.parse(both[index]?.text ?? '') as { Hash: string }
      const file = await fetch(`${storage.gateway}/ipfs/${cid}/holiday pictures/${seed}/IMG_00059999.jpg`)
      expect(await file.text()).toBe(`${seed} 59999`)
    }

    // Buffers and caches for the next upload exist from now on; caches shrink by some MiB later, so the memory of each of
    // the two uploads must far exceed the tolerance.
    const before = await storage.usedBytes()
    for (const round of ['three', 'four']) {
      const [folder, encrypted] = await Promise.all([
        send(storage, apiKey, tinyFiles(40_000, round)),
        // Each of its files is listed, counted and returned separately.
        send(storage, apiKey, tinyFiles(20_000, `${round} apart`), '', 'true'),
      ])
      expect(folder.status).toBe(200)
      expect(JSON.parse(encrypted.text)).toHaveLength(20_000)
    }
    // Leftovers of one upload per round would add up to 38 MiB; the collector’s own data varies by 15.
    expect(await storage.usedBytes()).toBeLessThan(before + 24 * MIB)
  } finally {
    await storage.kill()
    await rm(home, { recursive: true, force: true })
  }
}, 300_000)

test('rejects uploads beyond the memory for parts with a hint, and counts memory only while it is used', async () => {
  const home = await mkdtemp(join(tmpdir(), 'cairn-parts-'))
  const storage = await startStorageProcess(home, { CAIRN_PART_MEMORY_BYTES: String(2 * MIB) })
  try {
    const { apiKey } = await createTestKey({ profile: storage })
    for (let round = 0; round < 3; round++) {
      const large = await send(storage, apiKey, tinyFiles(5_000, `large ${round}`))
      expect([large.status, large.code]).toEqual([413, 'TOO_MANY_PARTS'])
      expect(JSON.parse(large.text)).toMatchObject({
        error: expect.stringContaining('1 MiB'),
        hint: expect.stringContaining('Split'),
        details: { limitBytes: MIB },
      })
      // Kubo clients get a line for each entry, which is written from the counted parts.
      for (const query of ['', '?stream-channels=true&progress=true'])
        expect((await send(storage, apiKey, tinyFiles(1_000, `fits ${round}`), query)).status).toBe(200)
    }
  } finally {
    await storage.kill()
    await rm(home, { recursive: true, force: true })
  }
})
