import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createRunHasher } from './run-hasher.ts'

it('hashes shared memory in order, however many runs wait', async () => {
  const memory = new SharedArrayBuffer(100_000)
  const bytes = new Uint8Array(memory).map((_, at) => Math.imul(at, 2_654_435_761) >>> 23)
  new Uint8Array(memory).set(bytes)
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
  const answers = await Promise.all(Array.from({ length: 20 }, () => hasher.hash(memory, ranges)))
  for (const digests of answers) expect(expected.equals(digests)).toBe(true)
})

it('keeps a process alive while it hashes, and no longer', async () => {
  const program = `
    import { createRunHasher } from ${JSON.stringify(import.meta.resolve('./run-hasher.ts'))}
    const digests = await createRunHasher().hash(new SharedArrayBuffer(10), [0, 10])
    process.stdout.write(String(digests.length))`
  const args = ['--conditions=@cairn/source', '--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout).toBe('32')
})
