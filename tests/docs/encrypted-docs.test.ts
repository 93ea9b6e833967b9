// The page's example is run as it stands, with what it leaves to its reader put before it.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/how-to/encrypted-files.md'), 'utf8')

let network: TestNetwork
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
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
  expect(example).toContain('uploadEncrypted')
  const { apiKey, privateKey, address } = await createTestKey(network)
  const diary = join(mkdtempSync(join(tmpdir(), 'cairn-diary-')), 'diary.txt')
  writeFileSync(diary, 'dear diary')
  const before = [
    "import { signMessage } from '@cairn/sdk'",
    `const apiKey = ${JSON.stringify(apiKey)}`,
    `const address = ${JSON.stringify(address)}`,
    `const sign = async (message: string) => signMessage(${JSON.stringify(privateKey)}, message)`,
  ]
  const body = example
    .replace('loadNetwork()', `loadNetwork(${JSON.stringify(join(network.home, 'network.json'))})`)
    .replace("'diary.txt'", JSON.stringify(diary))
  const file = join(folder, 'example.ts')
  writeFileSync(file, [...before, body, 'console.log(new TextDecoder().decode(plain), keys.done.join())'].join('\n'))
  const child = spawn(process.execPath, ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', file], {
    cwd: root,
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      said += piece
    })
  const code = await new Promise((done) => child.once('close', done))
  rmSync(resolve(diary, '..'), { recursive: true, force: true })
  expect(code, said).toBe(0)
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
