import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bundlePrograms, escapeBeyondAscii, networkBundle } from './bundle-programs.ts'

let root = ''
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cairn-bundle-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}

const run = (...args: string[]): string => execFileSync(process.execPath, args, { encoding: 'utf8' })

const main = 'services/one/src/main.ts'
const other = 'services/one/src/other.ts'

test('a bundled program starts another one of the bundle, reads its pages and keeps its texts', async () => {
  write('services/one/src/docs/page.txt', 'page')
  write(other, "process.stdout.write('other')")
  write(
    main,
    `import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
const other: URL = new URL('./other.ts', import.meta.url)
process.stdout.write(execFileSync(process.execPath, [fileURLToPath(other)]))
process.stdout.write(readFileSync(new URL('docs/page.txt', import.meta.url)))
process.stdout.write(String(/^[–…]…$/u.test('–…')) + '€😀')`,
  )
  const folder = join(root, '.cache', 'bundle')
  const bundle = { root, programs: { main, other }, external: [], assets: { 'services/one/src/docs': 'docs' } }
  await bundlePrograms(bundle, folder)
  expect(run(join(folder, 'main.js'))).toBe('otherpagetrue€😀')
})

test('a bundled program that imports node:http has its exports, and does not load fetch', async () => {
  write(
    main,
    `import http, { createServer, IncomingMessage } from 'node:http'
const isWhole = http.createServer === createServer && http.IncomingMessage === IncomingMessage
process.stdout.write([isWhole, process.moduleLoadList.some((name) => name.includes('undici'))].join())`,
  )
  await bundlePrograms({ root, programs: { main }, external: [], assets: {} }, join(root, 'bundle'))
  expect(run(join(root, 'bundle', 'main.js'))).toBe('true,false')
})

test('refuses a program that the bundle does not list', async () => {
  write(other, '')
  write(main, "process.stdout.write(new URL('./other.ts', import.meta.url).href)")
  const bundle = { root, programs: { main }, external: [], assets: {} }
  await expect(bundlePrograms(bundle, join(root, 'bundle'))).rejects.toThrow('not a program of the bundle')
})

test('escapes characters beyond ASCII without changing the meaning', () => {
  expect(escapeBeyondAscii(String.raw`'é' '\é' '\\é'`)).toBe(String.raw`'\u00e9' '\u00e9' '\\\u00e9'`)
})

test('the bundle of the network contains every program that its sources start', async () => {
  const folder = join(root, 'bundle')
  await bundlePrograms(networkBundle, folder)
  const missing = Object.keys(networkBundle.programs).filter((name) => !existsSync(join(folder, `${name}.js`)))
  expect(missing).toEqual([])
  // Processor instructions hash pieces fifteen times as fast as WebAssembly.
  const code = readdirSync(folder).filter((name) => name.endsWith('.js'))
  const hashing = code.filter((name) => readFileSync(join(folder, name), 'utf8').includes('@chainsafe/as-sha256'))
  expect(hashing).not.toEqual([])
  for (const name of hashing) expect(readFileSync(join(folder, name), 'utf8')).toContain('@chainsafe/hashtree')
})
