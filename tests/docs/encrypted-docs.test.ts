// The page's example is run as it stands, with what it leaves to its reader put before it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { runExample } from './run-example.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/how-to/encrypted-files.md'), 'utf8')

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork()
})
afterAll(() => network?.[Symbol.asyncDispose]())

test('the example of the SDK works', async () => {
  expect(page).toContain('uploadEncrypted')
  const { apiKey, privateKey, address } = await createTestKey(network)
  const diary = join(mkdtempSync(join(tmpdir(), 'cairn-diary-')), 'diary.txt')
  writeFileSync(diary, 'dear diary')
  const said = await runExample(page, network, {
    before: [
      "import { signMessage } from '@cairn/sdk'",
      `const apiKey = ${JSON.stringify(apiKey)}`,
      `const address = ${JSON.stringify(address)}`,
      `const sign = async (message: string) => signMessage(${JSON.stringify(privateKey)}, message)`,
    ],
    behind: ['console.log(new TextDecoder().decode(plain), keys.done.join())'],
    change: { "'diary.txt'": JSON.stringify(diary) },
  })
  rmSync(resolve(diary, '..'), { recursive: true, force: true })
  expect(said).toContain('dear diary 1,2,3,4,5')
})

test('the page names every function about keys, and every command', async () => {
  for (const name of [
    'uploadEncrypted',
    'decryptBytes',
    'shareFile',
    'revokeAccess',
    'transferFile',
    'rotateFile',
    'exportKey',
  ])
    expect(page).toContain(name)
  for (const name of ['share', 'unshare', 'access', 'transfer', 'keys']) expect(page).toContain(`cairn ${name}`)
})
