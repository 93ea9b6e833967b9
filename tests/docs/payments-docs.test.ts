// The page's example is run as it stands; its settings are read by the service's own reader.
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { paymentStates } from '@cairn/protocol'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parsePaymentSettings } from '../../services/storage/src/payments/payment-settings.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'

const run = promisify(execFile)
const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/payments.md'), 'utf8')

let network: TestNetwork
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork({}, 'local')
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
  expect(example).toContain('waitForCredit')
  const file = join(folder, 'example.ts')
  writeFileSync(
    file,
    example.replace('loadNetwork()', `loadNetwork(${JSON.stringify(join(network.home, 'network.json'))})`),
  )
  const node = ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', file]
  const { stdout } = await run(process.execPath, node, { cwd: root })
  expect(stdout).toBe('1 GiB costs 4 USDC\ncredited: 1073741958 bytes\n')
})

test('the settings it shows are valid, and fill in what is known', () => {
  const settings = parsePaymentSettings(/```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '')
  expect(settings).toMatchObject({
    networks: [{ name: 'polygon', chainId: 137, symbol: 'MATIC', finality: { tag: 'finalized' } }],
    prices: [{ symbol: 'MATIC', feeds: [{ rpcUrl: 'https://one.example' }] }],
  })
  expect(settings.networks[0]?.tokens.map(({ coin }) => coin)).toEqual(['usdc', 'usdt', 'dai'])
})

test('it names every state', () => {
  for (const state of paymentStates) expect(page).toContain(`| \`${state}\` |`)
})
