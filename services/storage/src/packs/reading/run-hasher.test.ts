import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createRunHasher } from './run-hasher.ts'

it('hashes memory in order, however many runs wait, and releases it', async () => {
  const bytes = new Uint8Array(100_000).map((_, at) => Math.imul(at, 2_654_435_761) >>> 23)
  const ranges = [0, 10, 10, 50_000, 60_000, 40_000, 99_999, 1, 5, 0]
  const expected = Buffer.concat(
    [0, 2, 4, 6, 8].map((at) => {
      const start = ranges[at] ?? 0
      return createHash('sha256')
        .update(bytes.subarray(start, start + (ranges[at + 1] ?? 0)))
        .digest()
    }),
  )
  const hasher = createRunHasher()
  const memories = Array.from({ length: 20 }, () => bytes.slice().buffer)
  const runs = await Promise.all(memories.map((memory) => hasher.hash(memory, ranges)))
  for (const run of runs) {
    expect(expected.equals(run?.digests ?? new Uint8Array())).toBe(true)
    expect(Buffer.from(run?.memory ?? new ArrayBuffer()).equals(bytes)).toBe(true)
  }
})

it('reports a failed thread, and not the one that replaces it', async () => {
  const hasher = createRunHasher()
  const beyondItsMemory = [0, 100]
  expect(await hasher.hash(new ArrayBuffer(10), beyondItsMemory)).toBeUndefined()
  for (let run = 0; run < 3; run++) {
    expect((await hasher.hash(new ArrayBuffer(10), [0, 10]))?.digests).toHaveLength(32)
  }
})

it('keeps a process alive only while it hashes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-hasher-'))
  const program = join(folder, 'program.mjs')
  await writeFile(
    program,
    `import { createRunHasher } from ${JSON.stringify(import.meta.resolve('./run-hasher.ts'))}
    const memory = new ArrayBuffer(10)
    const { digests } = await createRunHasher().hash(memory, [0, 10])
    process.stdout.write(\`\${digests.length} \${memory.detached}\`)`,
  )
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['--conditions=@cairn/source', program])
    // It was on another thread.
    expect(stdout).toBe('32 true')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
