// The public suite of S3 tests against our S3 API. Known failures are counted by reason: most use what the API does not have.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createS3Credentials } from '@cairn/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { runProgram } from './run-program.ts'
import { excludedGroups, findSuite, reasonOf, suitePython, whyNoSuite } from './s3-suite.ts'

type Keys = { accessKeyId: string; secretAccessKey: string; address: string }

/** Settings of the suite; groups that are not run have placeholder values. */
function writeSettings(endpoint: string, main: Keys, other: Keys): string {
  const { hostname, port } = new URL(endpoint)
  const user = (name: string, keys: Keys) =>
    `[s3 ${name}]\ndisplay_name = ${keys.address}\nuser_id = ${keys.address}\nemail = ${name}@example.com\napi_name = us-east-1\naccess_key = ${keys.accessKeyId}\nsecret_key = ${keys.secretAccessKey}\n`
  const unused = (name: string) =>
    `[${name}]\ndisplay_name = x\nuser_id = x\nemail = x@example.com\naccess_key = x\nsecret_key = x\n`
  return `[DEFAULT]\nhost = ${hostname}\nport = ${port}\nis_secure = False\nssl_verify = False\n
[fixtures]\nbucket prefix = s3t-{random}-\niam name prefix = s3-tests-\niam path prefix = /s3-tests/\n
${user('main', main)}${user('alt', other)}${user('tenant', other)}tenant = testx\n
${['iam', 'iam root', 'iam alt root'].map(unused).join('')}
[webidentity]\ntoken = x\naud = x\nsub = x\nazp = x\nuser_token = x\nthumbprint = x\nKC_REALM = x\n`
}

describe.skipIf(whyNoSuite() !== undefined)('s3-tests', () => {
  let network: TestNetwork
  let scratch = ''
  beforeAll(async () => {
    network = await createTestNetwork({ CAIRN_S3_API_PORT: '0', CAIRN_FREE_BYTES: '5000000000' })
    scratch = await mkdtemp(join(tmpdir(), 'cairn-s3-suite-'))
  })
  afterAll(async () => {
    await network?.[Symbol.asyncDispose]()
    if (scratch !== '') await rm(scratch, { recursive: true })
  })

  const openAccount = async (): Promise<Keys> => {
    const client = await createKeyClient(network)
    return { ...(await createS3Credentials(client)), address: client.address }
  }

  test('passes the public suite', { timeout: 2_700_000 }, async ({ task }) => {
    const settings = join(scratch, 's3tests.conf')
    const report = join(scratch, 'report.xml')
    const { endpoint = '' } = network.profile.s3 ?? {}
    await writeFile(settings, writeSettings(endpoint, await openAccount(), await openAccount()))
    const files = ['test_s3.py', 'test_headers.py'].map((name) => `s3tests/functional/${name}`)
    // The formats with lines of source read a file of 20,000 lines for each failure.
    const options = ['-q', '--tb=native', '--timeout=120', '-p', 'no:cacheprovider', `--junit-xml=${report}`]
    await runProgram(
      suitePython,
      ['-m', 'pytest', ...options, '-m', `not (${excludedGroups.join(' or ')})`, ...files],
      {
        cwd: findSuite() ?? '',
        env: { PATH: process.env['PATH'], HOME: scratch, S3TEST_CONF: settings },
        timeoutMs: 2_600_000,
        // 1 if tests fail.
        allowedExitCodes: [0, 1],
      },
    )
    const xml = await readFile(report, 'utf8')
    const cases = xml.split('<testcase ').slice(1)
    const failed = cases
      .filter((text) => /<(?:failure|error)\b/.test(text))
      .map((text) => ({ name: /\bname="(\w+)"/.exec(text)?.[1] ?? '', text }))
    const unexpected = failed.filter(({ name }) => reasonOf(name) === undefined)
    for (const { name, text } of unexpected) console.log(name, text.slice(-1000))
    const counts = new Map<string, number>()
    for (const { name } of failed) {
      const reason = reasonOf(name) ?? 'unknown'
      counts.set(reason, (counts.get(reason) ?? 0) + 1)
    }
    const skipped = cases.filter((text) => text.includes('<skipped')).length
    const passed = cases.length - failed.length - skipped
    const reasons = [...counts].sort(([, a], [, b]) => b - a).map(([reason, count]) => `${reason} ${count}`)
    Object.assign(task.meta, {
      result: `${passed} of ${cases.length - skipped} passed; the others by [reason](../tests/interop/s3-suite-failures.ts): ${reasons.join(', ')}`,
    })
    expect(passed).toBeGreaterThan(0)
    expect(unexpected.map(({ name }) => name)).toEqual([])
  })
})
