// A resumed download on a disk with space for the file, but not for a copy of the existing part. Needs `unshare` with
// the right to mount.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient, uploadBytes } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { programEnvironment } from '../program-environment.ts'
import { cliCommand } from '../run-cli.ts'
import { requireProgram } from './require-program.ts'

const MiB = 1024 * 1024
let network: TestNetwork
let folder = ''
beforeAll(async () => {
  requireProgram('unshare', 'util-linux')
  network = await createTestNetwork()
  folder = mkdtempSync(join(tmpdir(), 'cairn-small-disk-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  if (folder !== '') rmSync(folder, { recursive: true, force: true })
})

test('resuming a download needs no space for a second copy', async () => {
  const bytes = randomBytes(20 * MiB)
  const { apiKey } = await createTestKey(network)
  const { cid } = await uploadBytes(createClient({ network: network.profile, apiKey }), new Uint8Array(bytes))
  writeFileSync(join(folder, 'whole'), bytes)
  writeFileSync(join(folder, 'start'), bytes.subarray(0, 15.5 * MiB))
  const script = `
    mkdir disk
    mount -t tmpfs -o size=24m none disk
    cp start disk/file.part
    "$@" get ${cid} -o disk/file --json
    cmp disk/file whole
    ls -A disk`
  const args = ['-rm', 'sh', '-euc', script, 'sh', ...(await cliCommand())]
  const env = {
    ...programEnvironment,
    CAIRN_NETWORK: join(network.home, 'network.json'),
    CAIRN_CONFIG_HOME: join(folder, 'config'),
  }
  const { stdout } = await promisify(execFile)('unshare', args, { cwd: folder, env })
  const [result = '', ...names] = stdout.trim().split('\n')
  expect(JSON.parse(result)).toMatchObject({ sizeBytes: bytes.length })
  expect(names).toEqual(['file'])
})
