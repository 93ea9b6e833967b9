// The page's example is run as it stands; its settings are read by the service's own readers.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { dealStates } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseDealSettings, parseProviders } from '../../services/storage/src/proofs/proof-settings.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/proofs.md'), 'utf8')
const [providers = '', deals = ''] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')

let network: TestNetwork
let folder = ''
beforeAll(async () => {
  const settings = { waitSeconds: 0.2, challengeSeconds: 60, pollMs: 50 }
  network = await createTestNetwork({ CAIRN_DEALS: JSON.stringify(settings) }, 'none', 20, 2)
  mkdirSync(join(root, '.cache'), { recursive: true })
  // Below the project, so that its packages are found.
  folder = mkdtempSync(join(root, '.cache', 'docs-'))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await network?.[Symbol.asyncDispose]()
})

test('the example of the SDK works', async () => {
  const example = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  expect(example).toContain('verifyStorage')
  const file = join(folder, 'example.ts')
  writeFileSync(
    file,
    example.replace('loadNetwork()', `loadNetwork(${JSON.stringify(join(network.home, 'network.json'))})`),
  )
  const node = ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', file]
  const { stdout } = await run(process.execPath, node, { cwd: root })
  expect(stdout).toMatch(/^provider-\d: It showed 8 leaves that were drawn on this machine$/m)
  expect(stdout).toMatch(/proven\n$/)
})

test('the settings it shows are the defaults, and valid', () => {
  expect(parseDealSettings(deals)).toEqual(parseDealSettings(''))
  const keys = JSON.parse(providers).map((one: object) => ({ ...one, keyFile: undefined, key: 'k'.repeat(32) }))
  expect(parseProviders(JSON.stringify(keys)).map(({ name }) => name)).toEqual(['alder', 'birch'])
})

test('it names every state', () => {
  for (const state of dealStates) expect(page).toContain(`| \`${state}\` |`)
})
