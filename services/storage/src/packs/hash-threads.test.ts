import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createHashThreads } from './hash-threads.ts'

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

it.each([0, 1, 3])('hashes shared memory in order on %i threads, however much waits', async (threads) => {
  const hasher = createHashThreads({ threads })
  expect(hasher.isAvailable).toBe(threads > 0)
  const answers = await Promise.all(Array.from({ length: 100 }, () => hasher.hash(memory, ranges)))
  for (const digests of answers) expect(expected.equals(digests)).toBe(true)
})

it('hashes the tasks of a thread that dies, reports it, and no longer starts one that always dies', async () => {
  const failures: string[] = []
  const program = new URL(
    'data:text/javascript,import{parentPort}from"node:worker_threads";parentPort.on("message",()=>process.exit(3))',
  )
  const hasher = createHashThreads({ threads: 2, program, onFailure: ({ message }) => failures.push(message) })
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => hasher.hash(memory, ranges)))
    for (const digests of answers) expect(expected.equals(digests)).toBe(true)
  }
  expect(new Set(failures)).toEqual(new Set(['a hash thread exited with code 3']))
  expect(failures.length).toBeLessThan(5)
  expect(hasher.isAvailable).toBe(false)
})

it('keeps a process alive while it hashes, and no longer', async () => {
  const program = `
    import { createHashThreads } from ${JSON.stringify(import.meta.resolve('./hash-threads.ts'))}
    const digests = await createHashThreads().hash(new SharedArrayBuffer(10), [0, 10])
    process.stdout.write(String(digests.length))`
  const args = ['--conditions=@cairn/source', '--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout).toBe('32')
})
