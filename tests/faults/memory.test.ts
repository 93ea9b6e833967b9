import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('storing and reading 1 GiB needs at most 250 MiB of memory, including Node itself', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-memory-'))
  const program = join(import.meta.dirname, 'store-program.ts')
  const args = ['--conditions=@cairn/source', program, folder, 'large', '1024']
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const [, , peakMib] = stdout.trim().split(' ')
  expect(Number(peakMib)).toBeGreaterThan(50)
  expect(Number(peakMib)).toBeLessThan(250)
  await rm(folder, { recursive: true, force: true })
})
