// A program that copies folders stores them in a bucket of our S3 API, with the configuration in docs/how-to/s3.md.
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { isInstalled, rclone, requireBinary } from './binaries.ts'
import { runProgram, type Stdin } from './run-program.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/s3.md'), 'utf8')
const listing = v.array(v.object({ Path: v.string(), Size: v.number(), IsDir: v.boolean() }))

describe.skipIf(!isInstalled(rclone))('rclone', () => {
  let network: TestNetwork
  let scratch = ''
  beforeAll(async () => {
    network = await createTestNetwork({ CAIRN_S3_API_PORT: '0' })
    scratch = await mkdtemp(join(tmpdir(), 'cairn-rclone-'))
    await configure('rclone.conf', network.profile.s3?.secretAccessKey ?? '')
  })
  afterAll(async () => {
    await network?.[Symbol.asyncDispose]()
    if (scratch !== '') await rm(scratch, { recursive: true })
  })

  /** Writes the page's configuration with the endpoint and keys of this network. */
  async function configure(name: string, secretAccessKey: string): Promise<void> {
    const { endpoint = '', accessKeyId = '' } = network.profile.s3 ?? {}
    const printed = /^```ini\n(\[cairn\]\n[\s\S]*?)^```$/m.exec(page)?.[1] ?? ''
    const text = printed
      .replace('http://127.0.0.1:8082', endpoint)
      .replace('access_key_id = …', `access_key_id = ${accessKeyId}`)
      .replace('secret_access_key = …', `secret_access_key = ${secretAccessKey}`)
    expect(text).not.toContain('…')
    await writeFile(join(scratch, name), text)
  }

  async function run(args: string[], stdin?: Stdin, config = 'rclone.conf'): Promise<string> {
    // Without retries, an error that a second attempt would hide fails the test.
    const options = ['--config', join(scratch, config), '--retries', '1', '--low-level-retries', '1']
    const env = { HOME: scratch, PATH: process.env['PATH'] }
    const settings = { cwd: scratch, env, timeoutMs: 120_000, ...(stdin === undefined ? {} : { stdin }) }
    return (await runProgram(requireBinary(rclone), [...options, ...args], settings)).toString()
  }

  const list = async (path: string) =>
    v
      .parse(listing, JSON.parse(await run(['lsjson', '-R', '--files-only', path])))
      .map(({ Path, Size }) => [Path, Size])
      .sort()

  test('copies, compares, changes and removes folders', async () => {
    const source = join(scratch, 'source')
    const large = randomBytes(12_000_000)
    await mkdir(join(source, 'folder'), { recursive: true })
    await writeFile(join(source, 'large.bin'), large)
    await writeFile(join(source, 'folder/ümlaut +.txt'), 'hello\n')
    await writeFile(join(source, 'empty'), '')
    await run(['mkdir', 'cairn:copies'])
    const inParts = ['--s3-upload-cutoff', '5M', '--s3-chunk-size', '5M']
    await run(['sync', source, 'cairn:copies/a', ...inParts])
    // Fails on a difference.
    await run(['check', source, 'cairn:copies/a', '--download'])
    await run(['check', source, 'cairn:copies/a'])
    expect(await list('cairn:copies')).toEqual([
      ['a/empty', 0],
      ['a/folder/ümlaut +.txt', 6],
      ['a/large.bin', large.length],
    ])

    await run(['copyto', 'cairn:copies/a/large.bin', 'cairn:copies/b/copied.bin'])
    await run(['moveto', 'cairn:copies/b/copied.bin', 'cairn:copies/b/moved.bin'])
    expect(await run(['cat', 'cairn:copies/a/folder/ümlaut +.txt'])).toBe('hello\n')
    await run(['copyto', 'cairn:copies/b/moved.bin', join(scratch, 'back.bin')])
    expect(large.equals(await readFile(join(scratch, 'back.bin')))).toBe(true)
    const part = await run(['cat', '--offset', '7000000', '--count', '3', 'cairn:copies/b/moved.bin'])
    expect(part).toBe(large.subarray(7_000_000, 7_000_003).toString())

    await run(['rcat', 'cairn:copies/stream.bin', ...inParts], large)
    await run(['copyto', 'cairn:copies/stream.bin', join(scratch, 'stream.bin')])
    expect(large.equals(await readFile(join(scratch, 'stream.bin')))).toBe(true)
    expect(await run(['hashsum', 'md5', 'cairn:copies/a'])).toContain(
      `${createHash('md5').update('hello\n').digest('hex')}  folder/ümlaut +.txt`,
    )

    await writeFile(join(source, 'empty'), 'no more')
    await rm(join(source, 'folder'), { recursive: true })
    await utimes(join(source, 'large.bin'), 1_700_000_000, 1_700_000_000)
    await run(['sync', source, 'cairn:copies/a'])
    await run(['check', source, 'cairn:copies/a', '--download'])
    await run(['touch', 'cairn:copies/a/empty'])
    const link = (await run(['link', '--expire', '1h', 'cairn:copies/a/empty'])).trim()
    expect(await (await fetch(link)).text()).toBe('no more')
    await run(['cleanup', 'cairn:copies'])
    await run(['purge', 'cairn:copies'])
    expect(await run(['lsd', 'cairn:'])).toBe('')
  })

  test('is denied access with a wrong secret', async () => {
    await configure('wrong.conf', 'wrong')
    await expect(run(['lsd', 'cairn:'], undefined, 'wrong.conf')).rejects.toThrow('SignatureDoesNotMatch')
  })
})
