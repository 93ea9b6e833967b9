import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('stream-memory.fixture.ts', import.meta.url))
const mebibyte = 1024 * 1024

async function measure(format: string, mebibytes: number): Promise<number> {
  const node = [
    '--conditions=@cairn/source',
    '--disable-warning=ExperimentalWarning',
    script,
    format,
    String(mebibytes),
  ]
  const { stdout } = await promisify(execFile)(process.execPath, node)
  const { total, peakKib }: { total: number; peakKib: number } = JSON.parse(stdout)
  expect(total).toBe(mebibytes * mebibyte)
  return peakKib / 1024
}

test.each(['v1', 'v2'])('a stream of %s uses no more memory for twelve times the bytes', async (format) => {
  const [small, large] = [await measure(format, 32), await measure(format, 384)]
  // Garbage that the collector has not freed yet; retained bytes would be 352 MiB more.
  expect(large - small).toBeLessThan(64)
})
