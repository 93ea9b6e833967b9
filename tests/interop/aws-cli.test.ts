// The AWS CLI as a client of our S3 API: the lines of docs/how-to/s3.md as printed, and the most common commands.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { awsCli, isPythonProgramInstalled, pythonBinary } from './python-programs.ts'
import { runProgram } from './run-program.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/how-to/s3.md'), 'utf8')
const head = v.object({ Metadata: v.object({ cid: v.string() }), ContentLength: v.number() })

describe.skipIf(!isPythonProgramInstalled(awsCli))('AWS CLI', () => {
  let network: TestNetwork
  let scratch = ''
  beforeAll(async () => {
    network = await createTestNetwork({ CAIRN_S3_API_PORT: '0' })
    scratch = await mkdtemp(join(tmpdir(), 'cairn-aws-'))
  })
  afterAll(async () => {
    await network?.[Symbol.asyncDispose]()
    if (scratch !== '') await rm(scratch, { recursive: true })
  })

  /** Runs lines in a shell, with the settings printed on the page. Stops at the first error. */
  async function run(lines: string, stdin?: Uint8Array): Promise<string> {
    const options = {
      cwd: scratch,
      env: { HOME: scratch, PATH: `${dirname(pythonBinary(awsCli, 'aws'))}:${process.env['PATH']}` },
      timeoutMs: 120_000,
    }
    const script = `set -e\n${settings()}\n${lines}`
    const read = stdin === undefined ? {} : { stdin }
    return (await runProgram('sh', ['-c', script], { ...options, ...read })).toString()
  }

  function readBlock(): string[] {
    const block = /^```sh\n(export AWS_ENDPOINT_URL_S3=[\s\S]*?)^```$/m.exec(page)?.[1] ?? ''
    return block.trimEnd().split('\n')
  }

  function settings(): string {
    const { endpoint = '', accessKeyId = '', secretAccessKey = '' } = network.profile.s3 ?? {}
    const text = readBlock()
      .filter((line) => line.startsWith('export '))
      .join('\n')
      .replace('http://127.0.0.1:8082', endpoint)
      .replace('AWS_ACCESS_KEY_ID=…', `AWS_ACCESS_KEY_ID=${accessKeyId}`)
      .replace('AWS_SECRET_ACCESS_KEY=…', `AWS_SECRET_ACCESS_KEY=${secretAccessKey}`)
    expect(text).not.toContain('…')
    return text
  }

  test('runs the lines of the page, which store a file and print its CID', async () => {
    await writeFile(join(scratch, 'cat.jpg'), randomBytes(100))
    const lines = readBlock().filter((line) => line.startsWith('aws '))
    expect(lines).toHaveLength(3)
    await run(lines.slice(0, 2).join('\n'))
    const printed = v.parse(head, JSON.parse(await run(lines[2] ?? '')))
    expect(printed.Metadata.cid).toMatch(/^bafk/)
    expect(printed.ContentLength).toBe(100)
  })

  test('copies in parts, synchronises both ways, moves, signs links and removes', async () => {
    const large = randomBytes(20_000_000)
    await mkdir(join(scratch, 'folder/ü'), { recursive: true })
    await writeFile(join(scratch, 'folder/large.bin'), large)
    await writeFile(join(scratch, 'folder/ü/a +.txt'), 'hello')
    await run('aws s3 mb s3://copies\naws s3 sync folder s3://copies/in')
    await run("aws s3 mv 's3://copies/in/ü/a +.txt' s3://copies/in/b.txt")
    await run('aws s3 cp - s3://copies/in/stream.bin', large)
    await run('aws s3 sync s3://copies/in back')
    for (const name of ['large.bin', 'stream.bin'])
      expect(large.equals(await readFile(join(scratch, 'back', name)))).toBe(true)
    expect(await readFile(join(scratch, 'back/b.txt'), 'utf8')).toBe('hello')
    expect(await run('aws s3 ls --recursive --summarize s3://copies')).toContain('Total Objects: 3')
    const link = await run('aws configure set default.s3.signature_version s3v4\naws s3 presign s3://copies/in/b.txt')
    expect(await (await fetch(link.trim())).text()).toBe('hello')
    await run('aws s3 rb --force s3://copies')
    expect(await run('aws s3 ls')).not.toContain('copies')
  })
})
