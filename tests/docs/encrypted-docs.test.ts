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

test('the examples of the SDK work, one behind the other', async () => {
  expect(page).toContain('uploadEncrypted')
  const { privateKey, address } = await createTestKey(network)
  const diary = join(mkdtempSync(join(tmpdir(), 'cairn-diary-')), 'diary.txt')
  writeFileSync(diary, 'dear diary')
  const said = await runExample(page, network, {
    before: [
      "import { signMessage } from '@cairn/sdk'",
      `const address = ${JSON.stringify(address)}`,
      `const sign = async (message: string) => signMessage(${JSON.stringify(privateKey)}, message)`,
    ],
    behind: [
      ...[...page.matchAll(/```ts\n([\s\S]*?)```/g)].slice(1).map(([, text = '']) => text),
      'for (const bytes of [plain, letter]) console.log(new TextDecoder().decode(bytes), keys.done.join(), files[0].path)',
    ],
    change: { "'diary.txt'": JSON.stringify(diary) },
  })
  rmSync(resolve(diary, '..'), { recursive: true, force: true })
  expect(said).toContain('dear diary 1,2,3,4,5')
  expect(said).toContain('Dear Ida 1,2,3,4,5 may/first.txt')
})

test('the page names every function about keys, and every command', async () => {
  for (const name of [
    'uploadEncrypted',
    'openEncryptedFolder',
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
