// A backup program stores its repository in a bucket of our S3 API.
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { isInstalled, requireBinary, restic } from './binaries.ts'
import { runProgram } from './run-program.ts'

describe.skipIf(!isInstalled(restic))('restic', () => {
  let network: TestNetwork
  let scratch = ''
  beforeAll(async () => {
    network = await createTestNetwork({ CAIRN_S3_API_PORT: '0' })
    scratch = await mkdtemp(join(tmpdir(), 'cairn-restic-'))
  })
  afterAll(async () => {
    await network?.[Symbol.asyncDispose]()
    if (scratch !== '') await rm(scratch, { recursive: true })
  })

  async function run(args: string[], environment: Record<string, string> = {}): Promise<string> {
    const { s3 } = network.profile
    const env = {
      HOME: scratch,
      RESTIC_REPOSITORY: `s3:${s3?.endpoint}/backups`,
      RESTIC_PASSWORD: 'secret',
      AWS_ACCESS_KEY_ID: s3?.accessKeyId,
      AWS_SECRET_ACCESS_KEY: s3?.secretAccessKey,
      AWS_DEFAULT_REGION: s3?.region,
      ...environment,
    }
    return (await runProgram(requireBinary(restic), [...args, '--no-cache'], { env, timeoutMs: 240_000 })).toString()
  }

  test('keeps, checks, restores and prunes backups', async () => {
    const source = join(scratch, 'source')
    await mkdir(join(source, 'folder'), { recursive: true })
    // More than one pack of restic.
    const large = randomBytes(40 * 1024 * 1024)
    await writeFile(join(source, 'large.bin'), large)
    await writeFile(join(source, 'folder/ümlaut +.txt'), 'first')
    await run(['init'])
    await run(['backup', source])
    await writeFile(join(source, 'folder/ümlaut +.txt'), 'second')
    await run(['backup', source])
    expect(await run(['check', '--read-data'])).toContain('no errors were found')
    expect(JSON.parse(await run(['snapshots', '--json']))).toHaveLength(2)
    const target = join(scratch, 'restored')
    await run(['restore', `latest:${source}`, '--target', target])
    expect(large.equals(await readFile(join(target, 'large.bin')))).toBe(true)
    expect(await readFile(join(target, 'folder/ümlaut +.txt'), 'utf8')).toBe('second')
    await run(['forget', '--keep-last', '1', '--prune'])
    expect(JSON.parse(await run(['snapshots', '--json']))).toHaveLength(1)
    expect(await run(['check', '--read-data'])).toContain('no errors were found')
  })

  test('is denied access with a wrong secret', async () => {
    const wrong = { AWS_SECRET_ACCESS_KEY: 'wrong' }
    await expect(run(['snapshots', '--retry-lock', '0s'], wrong)).rejects.toThrow('Access Denied')
  })
})
