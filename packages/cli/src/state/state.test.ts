import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
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

test('keeps what several commands write at the same time', async () => {
  // Each has its own state, as each process has.
  const names = Array.from({ length: 20 }, (_, i) => `http://${i}`)
  await Promise.all(names.map((name) => createState(base).writeKey(name, { key: name })))
  expect(Object.keys(await createState(base).readKeys()).sort()).toEqual(names.toSorted())
  expect(readdirSync(base)).toEqual(['keys.json'])
})

test('a command that was killed while it wrote does not stop the next one', async () => {
  const lock = join(base, 'keys.json.lock')
  writeFileSync(lock, '')
  const before = new Date(Date.now() - 60_000)
  utimesSync(lock, before, before)
  await createState(base).writeKey('http://a', { key: 'one' })
  expect(await createState(base).readKey('http://a')).toEqual({ key: 'one' })
  expect(readdirSync(base)).toEqual(['keys.json'])
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
  await expect(state.writeKey('http://b', { key: 'two' })).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    hint: 'Remove the file and create a new API key.',
  })
})

test.each(['{', '{}', '[]', 'null'])('a damaged wallet (%j) is restored, not removed', async (text) => {
  const state = createState(base)
  await state.writeWallet(text)
  await expect(state.readAddress()).rejects.toMatchObject({
    message: `${join(base, 'wallet.json')} is damaged`,
    hint: 'Restore it from an export: cairn wallet import <file> --force.',
  })
})

describe('while a command creates an API key', () => {
  const lock = () => join(base, 'new-key.lock')
  const ignored = { signal: new AbortController().signal, onWait: () => undefined }

  test('another one waits as long as it works, and says so', async () => {
    const order: string[] = []
    const { promise: created, resolve: create } = Promise.withResolvers<void>()
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>()
    const first = createState(base).whileCreatingKey(async () => {
      enter()
      await created
      order.push('first')
    }, ignored)
    await entered
    // As after a while on a slow machine.
    const before = new Date(Date.now() - 30_000)
    utimesSync(lock(), before, before)
    const { promise: waits, resolve: wait } = Promise.withResolvers<void>()
    const second = createState(base).whileCreatingKey(async () => order.push('second'), { ...ignored, onWait: wait })
    await Promise.race([waits, second])
    create()
    await Promise.all([first, second])
    expect(order).toEqual(['first', 'second'])
    expect(readdirSync(base)).toEqual([])
  })

  test('another one that waits can be aborted', async () => {
    const { promise: created, resolve: create } = Promise.withResolvers<void>()
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>()
    const first = createState(base).whileCreatingKey(() => {
      enter()
      return created
    }, ignored)
    await entered
    const stop = new AbortController()
    const second = createState(base).whileCreatingKey(async () => 'never', { ...ignored, signal: stop.signal })
    stop.abort()
    await expect(second).rejects.toMatchObject({ code: 'ABORTED' })
    create()
    await first
    expect(readdirSync(base)).toEqual([])
  })

  test.each([
    ['a process that no longer exists', () => spawnSync(process.execPath, ['-e', '0']).pid, hostname(), 0],
    ['a machine that stopped', () => process.pid, 'another machine', 120_000],
    ['a process whose id another program has', () => process.pid, hostname(), 120_000],
  ])('the lock of %s is removed', async (_whose, pidOf, host, ageMs) => {
    writeFileSync(lock(), JSON.stringify({ pid: pidOf(), host, id: 'x' }))
    const time = new Date(Date.now() - ageMs)
    utimesSync(lock(), time, time)
    expect(await createState(base).whileCreatingKey(async () => 'created', ignored)).toBe('created')
    expect(readdirSync(base)).toEqual([])
  })

  test('the lock of another machine is kept while it is renewed', async () => {
    writeFileSync(lock(), JSON.stringify({ pid: 1, host: 'another machine', id: 'x' }))
    const stop = new AbortController()
    const second = createState(base).whileCreatingKey(async () => 'never', {
      signal: stop.signal,
      onWait: () => stop.abort(),
    })
    await expect(second).rejects.toMatchObject({ code: 'ABORTED' })
    expect(readdirSync(base)).toEqual(['new-key.lock'])
  })
})
