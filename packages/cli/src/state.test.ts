import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createState } from './state.ts'

let base = ''
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'cairn-state-'))
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const mode = (path: string) => statSync(path).mode & 0o777

test('an empty folder has no state, and reading creates nothing', async () => {
  const state = createState(join(base, 'cairn'))
  expect(await state.readWallet()).toBeUndefined()
  expect(await state.readKey('http://a')).toBeUndefined()
  expect(await state.clearWallet()).toBe(false)
  expect(readdirSync(base)).toEqual([])
})

test('writes secrets as 0600 in a folder 0700, whatever its mode was, and leaves nothing temporary', async () => {
  const folder = join(base, 'cairn')
  const state = createState(folder)
  await state.writeWallet('{}')
  await state.writeKey('http://a', { key: 'one' })
  expect(mode(folder)).toBe(0o700)
  for (const name of readdirSync(folder)) expect(mode(join(folder, name))).toBe(0o600)
  chmodSync(folder, 0o755)
  await state.writeKey('http://b', { key: 'two' })
  expect(mode(folder)).toBe(0o700)
  expect(readdirSync(folder).sort()).toEqual(['keys.json', 'wallet.json'])
})

test('each network has its own key', async () => {
  const state = createState(base)
  await state.writeKey('http://a', { key: 'one' })
  await state.writeKey('http://b', { key: 'two' })
  expect(await state.readKey('http://a')).toEqual({ key: 'one' })
  await state.clearKey('http://a')
  expect(await state.readKey('http://a')).toBeUndefined()
  expect(await state.readKey('http://b')).toEqual({ key: 'two' })
})

test('reads keys of earlier versions, without an account; the address of the wallet needs no password', async () => {
  const state = createState(base)
  writeFileSync(join(base, 'keys.json'), '{"http://a":"one","http://b":7}', { mode: 0o600 })
  await state.writeKey('http://c', { key: 'three', address: '0xab' })
  expect(await state.readKeys()).toEqual({ 'http://a': { key: 'one' }, 'http://c': { key: 'three', address: '0xab' } })
  expect(await state.readAddress()).toBeUndefined()
  await state.writeWallet('{"address":"AB"}')
  expect(await state.readAddress()).toBe('0xab')
})

test('rejects a file that is damaged or that others can read', async () => {
  const state = createState(base)
  const keys = join(base, 'keys.json')
  writeFileSync(keys, '{"http://a":"one"}', { mode: 0o640 })
  await expect(state.readKey('http://a')).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    hint: `Run: chmod 600 '${keys}'`,
  })
  chmodSync(keys, 0o600)
  expect(await state.readKey('http://a')).toEqual({ key: 'one' })
  writeFileSync(keys, '{"http://a"')
  await expect(state.writeKey('http://b', { key: 'two' })).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
})
