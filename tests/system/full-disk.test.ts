// A service whose packs and database share a disk of 128 MiB that uploads fill. Needs `unshare` with the right to mount.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { programEnvironment } from '../program-environment.ts'
import { requireProgram } from './require-program.ts'

const diskBytes = 128 * 1024 * 1024
let folder = ''
beforeAll(() => {
  requireProgram('unshare', 'util-linux')
  folder = mkdtempSync(join(tmpdir(), 'cairn-full-disk-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('uploads leave the database space for deletions and another start', async () => {
  const script = `
    mkdir disk
    mount -t tmpfs -o size=${diskBytes} none disk
    exec "$@" "$PWD/disk"`
  const program = join(import.meta.dirname, 'full-disk-program.ts')
  const args = ['-rm', 'sh', '-euc', script, 'sh', process.execPath, '--conditions=@cairn/source', program]
  const { stdout } = await promisify(execFile)('unshare', args, { cwd: folder, env: programEnvironment })
  const { freeBytes, ...report } = JSON.parse(stdout)
  expect(report).toEqual({
    refused: [507],
    deleted: Array.from({ length: 20 }, () => 200),
    ready: 200,
    read: 200,
    deletedLater: 200,
  })
  expect(freeBytes).toBeGreaterThan(diskBytes / 8)
})
