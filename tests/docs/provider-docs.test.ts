// The commands of the page start a provider, and its example checks it, as printed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { providerSettings } from '@cairn/provider'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bytesOf, cidOf } from '../../services/provider/src/test-provider.fixture.ts'
import { createTestNetwork } from '../fixtures.ts'
import { programEnvironment } from '../program-environment.ts'
import { runExample } from './run-example.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/provider.md'), 'utf8')

let folder = ''
beforeAll(() => {
  mkdirSync(join(root, '.cache'), { recursive: true })
  // Below a workspace that has the packages, so that they can be resolved.
  folder = mkdtempSync(join(root, '.cache', 'docs-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the commands start a provider with its own keys', async () => {
  const shell = /```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  for (const name of shell.match(/CAIRN_\w+/g) ?? []) {
    expect(Object.keys(providerSettings)).toContain(name.replace(/_FILE$/, ''))
  }
  // On a free port, because the printed one may be in use.
  expect(shell).toContain('CAIRN_PROVIDER_PORT=8100')
  const script = shell
    .replace('CAIRN_PROVIDER_PORT=8100', 'CAIRN_PROVIDER_PORT=0')
    .replace(
      'npm run provider',
      `exec "${process.execPath}" --conditions=@cairn/source ${join(root, 'services/provider/src/main.ts')}`,
    )
  const child = spawn('sh', ['-e', '-c', script], {
    cwd: folder,
    env: { ...programEnvironment, CAIRN_LOG_LEVEL: 'fatal' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [ready]: unknown[] = await once(child, 'message')
  const { url, publicKey } = ready as { url: string; publicKey: string }
  expect(await (await fetch(url)).json()).toMatchObject({ name: 'my-provider', id: publicKey })
  const offer = await fetch(`${url}/pieces`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${readFileSync(join(folder, '.cairn/my-provider/provider.key'), 'utf8').trim()}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ piece: await cidOf(bytesOf(10)), url: 'http://127.0.0.1:9999/elsewhere' }),
  })
  expect(offer.headers.get('x-cairn-code')).toBe('SOURCE_NOT_ALLOWED')
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await gone).toEqual([0, null])
})

test('the example checks a provider', async () => {
  const settings = { waitSeconds: 0.2, challengeSeconds: 60, pollMs: 50 }
  await using network = await createTestNetwork({ CAIRN_DEALS: JSON.stringify(settings) }, 'none', 20, 2)
  expect(page).toContain('verifyChallenge')
  expect(await runExample(page, network)).toMatch(/^provider-\d has the 20 leaves of b[a-z2-7]+\n$/)
})

test('the table lists exactly the calls that exist', async () => {
  const { allCalls } = await import('@cairn/protocol')
  for (const { method, path } of allCalls.filter(({ host }) => host === 'provider')) {
    expect(page).toContain(`\`${method} ${path}\``)
  }
})
