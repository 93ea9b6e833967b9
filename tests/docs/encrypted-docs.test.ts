// The examples of the page run as printed.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { drive as driveCommand } from '../../packages/cli/src/commands/drive.ts'
import { createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { openExamples } from './run-example.ts'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/how-to/encrypted-files.md'), 'utf8')

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork()
})
afterAll(() => network?.[Symbol.asyncDispose]())

test('the examples of the SDK work', async () => {
  using examples = openExamples(page, network)
  expect(await examples.run('diary.ts')).toMatch(/^dear diary 1,2,3,4,5\n$/m)
  expect(await examples.run('letters.ts')).toBe('may/first.txt Dear Ida\n')
})

test('the example of links works, and the page lists its functions', async () => {
  const links = readFileSync(join(root, 'docs/how-to/links.md'), 'utf8')
  using examples = openExamples(links, network)
  expect(await examples.run('link.ts')).toBe('letter.txt dear Ida 2\nrevoked 1\n')
  for (const name of ['createLink', 'listLinks', 'revokeLink', 'inspectLink', 'openLink']) expect(links).toContain(name)
  for (const action of ['create', 'ls', 'open', 'rm']) expect(links).toContain(`npm run cairn -- link ${action}`)
})

test('the example of the drive works, and the page lists every action', async () => {
  const drive = readFileSync(join(root, 'docs/how-to/drive.md'), 'utf8')
  using examples = openExamples(drive, network)
  expect(await examples.run('drive.ts')).toBe('0 /letters/may.txt\nfamily\n')
  for (const action of driveCommand.words ?? []) expect(drive).toMatch(new RegExp(`\\b${action}\\b`))
})

test('the page lists every function about keys, and every command', async () => {
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
  for (const name of ['share', 'unshare', 'access', 'transfer', 'keys'])
    expect(page).toMatch(new RegExp(`cairn (-- )?${name}`))
})
