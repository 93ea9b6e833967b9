// Proofs of storage with the real program, as a shell runs it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { runCli } from '../run-cli.ts'

const unknownCid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
let network: TestNetwork
let folder = ''
let cid = ''

const cairn = (...args: string[]) =>
  runCli(args, {
    cwd: folder,
    env: { CAIRN_NETWORK: join(network.home, 'network.json'), CAIRN_CONFIG_HOME: join(folder, 'config') },
  })

beforeAll(async () => {
  const deals = JSON.stringify({ waitSeconds: 0.2, challengeSeconds: 60, pollMs: 50 })
  network = await createTestNetwork({ CAIRN_DEALS: deals }, 'none', 20, 2)
  folder = mkdtempSync(join(tmpdir(), 'cairn-cli-proofs-'))
  writeFileSync(join(folder, 'file.bin'), new Uint8Array(300_000).fill(7))
  const { out } = await cairn('upload', 'file.bin', '--json')
  cid = JSON.parse(out).cid
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

test('verify waits, checks everything, and reports what was proven, by which provider, and what was not', async () => {
  const { code, out, err } = await cairn('verify', '--wait', '--full', cid)
  expect(err).toContain('1 of 1 piece proven')
  expect(code, err).toBe(0)
  expect(out).toMatch(new RegExp(`^Proven: ${cid}`))
  expect(out).toContain('✓ block')
  expect(out).toContain('✓ aggregate')
  expect(out).toMatch(/provider-\d, deal \d, key z6Mk/)
  expect(out).toContain('chosen at random on this machine')
  expect(out).toMatch(/✓ content +(All \d+ blocks|The only block) of the content (are|is) in/)
  expect(out).toContain('A storage proof does not prove')
  const report = JSON.parse((await cairn('verify', cid, '--offline', '--json')).out)
  expect(report).toMatchObject({ cid, isProven: true, content: { outcome: 'skipped' } })
  expect(report.pieces[0].providers[0].challenged.outcome).toBe('skipped')
})

test('verifies an empty file like any other', async () => {
  writeFileSync(join(folder, 'empty'), '')
  const empty = (await cairn('upload', 'empty', '--quiet')).out.trim()
  const { code, out, err } = await cairn('verify', '--wait', '--full', empty)
  expect(code, err).toBe(0)
  expect(out).toMatch(new RegExp(`^Proven: ${empty}`))
})

test('the commands report that no provider has a private upload of the account', async () => {
  writeFileSync(join(folder, 'private'), 'a secret')
  const own = (await cairn('upload', 'private', '--private', '--quiet')).out.trim()
  for (const args of [['verify'], ['verify', '--wait'], ['deals'], ['checks']]) {
    const { code, err } = await cairn(...args, own)
    expect(err).toContain('A private upload is stored only by the service: no provider has a copy')
    expect(code).toBe(3)
    // For unknown content, and for other users, their output stays the same.
    for (const env of [{}, { CAIRN_API_KEY: 'of_another' }]) {
      const other = await runCli([...args, env.CAIRN_API_KEY === undefined ? unknownCid : own], {
        cwd: folder,
        env: { CAIRN_NETWORK: join(network.home, 'network.json'), CAIRN_CONFIG_HOME: join(folder, 'config'), ...env },
      })
      expect(other).toMatchObject({
        code: 3,
        err: expect.stringContaining('The content is not stored on this service'),
      })
    }
  }
})

test('manages deals, checks and copies', async () => {
  const deals = await cairn('deals', cid)
  expect(deals.out).toMatch(/^DEAL +PROVIDER +STATE/)
  expect(deals.out).toContain('proving')
  const [first] = (await cairn('deals', cid, '--json')).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const checks = await cairn('checks', first.piece, '--limit', '1', '--json')
  expect(JSON.parse(checks.out)).toMatchObject({ outcome: 'proved', leafCount: 20 })
  expect((await cairn('checks', cid)).out).toContain('proved')
  expect((await cairn('copies')).out).toBe('2 copies (default 2, maximum 5)\n')
  expect(JSON.parse((await cairn('copies', '1', '--json')).out)).toEqual({ copies: 1, defaultCopies: 2, maxCopies: 5 })
})

test.each([
  ['a CID that is not stored', ['verify', unknownCid], 3],
  ['no CID', ['verify', 'hello'], 2],
  ['too many leaves', ['verify', 'x', '--leaves', '65'], 2],
  ['no number of copies', ['copies', 'many'], 2],
  ['more copies than there may be', ['copies', '9'], 2],
  ['a piece that nobody has', ['checks', 'bafkzcibcaaeqpekuywldrfyupbzoqcmznhdijdj74qkyrfvozm4fj5lkgudm2dy'], 3],
] as const)('%s ends with the exit code for it', async (_, args, wanted) => {
  const { code, err } = await cairn(...args)
  expect(code, err).toBe(wanted)
  expect(err).toMatch(/^error: /)
})
