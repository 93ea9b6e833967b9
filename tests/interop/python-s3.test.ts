// Programs of the Python package index as clients of our S3 API.
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { boto3, isPythonProgramInstalled, pythonBinary, s3cmd } from './python-programs.ts'
import { runProgram } from './run-program.ts'

const isAnyInstalled = [boto3, s3cmd].some(isPythonProgramInstalled)
describe.skipIf(!isAnyInstalled)('S3 clients in Python', () => {
  let network: TestNetwork
  let scratch = ''
  beforeAll(async () => {
    network = await createTestNetwork({ CAIRN_S3_API_PORT: '0' })
    scratch = await mkdtemp(join(tmpdir(), 'cairn-python-'))
  })
  afterAll(async () => {
    await network?.[Symbol.asyncDispose]()
    if (scratch !== '') await rm(scratch, { recursive: true })
  })

  const keysOf = () => {
    const { endpoint = '', accessKeyId = '', secretAccessKey = '' } = network.profile.s3 ?? {}
    return { endpoint, accessKeyId, secretAccessKey }
  }
  const environment = () => ({ HOME: scratch, PATH: process.env['PATH'] })

  test.skipIf(!isPythonProgramInstalled(boto3))('boto3', async () => {
    const { endpoint, accessKeyId, secretAccessKey } = keysOf()
    const program = join(import.meta.dirname, 'python-s3/client.py')
    const args = [program, endpoint, accessKeyId, secretAccessKey]
    const printed = await runProgram(pythonBinary(boto3, 'python'), args, { env: environment(), timeoutMs: 240_000 })
    expect(printed.toString().trim().split('\n')).toEqual([
      'bucket',
      'upload and download in parts',
      'copy in parts, range',
      'checksum and tags',
      'pages',
      'presigned GET',
      'browser forms',
      'versions',
      'deletion of many',
    ])
  })

  test.skipIf(!isPythonProgramInstalled(s3cmd))('s3cmd', async () => {
    const { endpoint, accessKeyId, secretAccessKey } = keysOf()
    const { host } = new URL(endpoint)
    const config = join(scratch, 's3cfg')
    const settings = {
      access_key: accessKeyId,
      secret_key: secretAccessKey,
      host_base: host,
      host_bucket: host,
      use_https: 'False',
      multipart_chunk_size_mb: '5',
    }
    await writeFile(
      config,
      `[default]\n${Object.entries(settings)
        .map(([name, value]) => `${name} = ${value}\n`)
        .join('')}`,
    )
    const run = async (...args: string[]) => {
      const options = { cwd: scratch, env: environment(), timeoutMs: 120_000 }
      return (await runProgram(pythonBinary(s3cmd, 's3cmd'), ['--config', config, ...args], options)).toString()
    }
    const large = randomBytes(12_000_000)
    await mkdir(join(scratch, 'folder/sub'), { recursive: true })
    await writeFile(join(scratch, 'large.bin'), large)
    await writeFile(join(scratch, 'folder/a.txt'), 'a')
    await writeFile(join(scratch, 'folder/sub/ü +.txt'), 'b')
    await run('mb', 's3://commands')
    await run('put', 'large.bin', 's3://commands/large.bin')
    await run('get', 's3://commands/large.bin', 'back.bin')
    expect(large.equals(await readFile(join(scratch, 'back.bin')))).toBe(true)
    await run('sync', 'folder/', 's3://commands/in/')
    await writeFile(join(scratch, 'folder/a.txt'), 'changed')
    expect(await run('sync', 'folder/', 's3://commands/in/')).toContain('a.txt')
    await mkdir(join(scratch, 'synced'))
    await run('sync', 's3://commands/in/', 'synced/')
    expect(await readFile(join(scratch, 'synced/a.txt'), 'utf8')).toBe('changed')
    expect(await readFile(join(scratch, 'synced/sub/ü +.txt'), 'utf8')).toBe('b')
    expect(await run('info', 's3://commands/in/a.txt')).toMatch(/x-amz-meta-cid: +baf/)
    await run('cp', 's3://commands/in/a.txt', 's3://commands/copy.txt')
    expect(await run('ls', '-r', 's3://commands')).toContain('s3://commands/copy.txt')
    await run('del', '-r', '--force', 's3://commands')
    await run('rb', 's3://commands')
    expect(await run('ls')).not.toContain('s3://commands')
  })
})
