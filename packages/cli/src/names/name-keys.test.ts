import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNameKey } from '@cairn/sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Prompt } from '../terminal/prompt.ts'
import { lockSeed, unlockSeed } from './locked-seed.ts'
import { type KeptNameKey, openKept, openNameKeys } from './name-keys.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-name-keys-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const pathOf = (name: string) => join(folder, 'state', 'names', `${name}.json`)
/** Answers every password prompt with the same password. */
const answering = (password: string): Prompt => ({
  password: async () => password,
  secret: async () => password,
  confirm: async () => true,
})
async function kept(name: string): Promise<KeptNameKey> {
  const found = await openNameKeys(join(folder, 'state')).read(name)
  if (found === undefined) throw new Error('not kept')
  return found
}

test('reads back stored keys, with or without a password, from files that only their owner can read', async () => {
  const keys = openNameKeys(join(folder, 'state'))
  const [open, locked] = [await createNameKey(), await createNameKey()]
  expect(await keys.list()).toEqual([])
  await keys.add(open, { label: 'open', password: undefined })
  await keys.add(locked, { label: null, password: 'correct horse' })
  expect(await openKept(await kept(open.name), answering('not asked'))).toEqual(open)
  expect(await openKept(await kept(locked.name), answering('correct horse'))).toEqual(locked)
  await expect(openKept(await kept(locked.name), answering('guess'))).rejects.toMatchObject({
    code: 'INVALID_KEYSTORE',
  })
  expect((await keys.list()).map(({ label }) => label).toSorted()).toEqual([null, 'open'])
  expect(statSync(join(folder, 'state', 'names')).mode & 0o777).toBe(0o700)
  for (const file of readdirSync(join(folder, 'state', 'names'))) {
    expect(statSync(join(folder, 'state', 'names', file)).mode & 0o777).toBe(0o600)
  }
  const text = readFileSync(pathOf(locked.name), 'utf8')
  for (const form of ['hex', 'base64', 'base64url'] as const) {
    expect(text).not.toContain(Buffer.from(locked.seed).toString(form).slice(0, 40))
  }
  await keys.remove(open.name)
  expect(await keys.read(open.name)).toBeUndefined()
})

test('never overwrites a key', async () => {
  const keys = openNameKeys(join(folder, 'state'))
  const key = await createNameKey()
  await keys.add(key, { label: 'first', password: undefined })
  await expect(keys.add(key, { label: 'second', password: undefined })).rejects.toMatchObject({ code: 'FILE_EXISTS' })
  expect(await kept(key.name)).toMatchObject({ label: 'first' })
})

test('keeps all keys that are created at the same time', async () => {
  const made = await Promise.all(Array.from({ length: 20 }, () => createNameKey()))
  await Promise.all(
    made.map((key) => openNameKeys(join(folder, 'state')).add(key, { label: null, password: undefined })),
  )
  const names = (await openNameKeys(join(folder, 'state')).list()).map(({ name }) => name)
  expect(names).toEqual(made.map(({ name }) => name).toSorted())
})

test('rejects a key file that replaces that of another name', async () => {
  const keys = openNameKeys(join(folder, 'state'))
  const [open, locked, other] = [await createNameKey(), await createNameKey(), await createNameKey()]
  await keys.add(open, { label: null, password: undefined })
  await keys.add(locked, { label: null, password: 'x' })
  for (const from of [open, locked]) {
    const text = readFileSync(pathOf(from.name), 'utf8').replaceAll(from.name, other.name)
    writeFileSync(pathOf(other.name), text, { mode: 0o600 })
    await expect(openKept(await kept(other.name), answering('x'))).rejects.toMatchObject({
      code: from === open ? 'FILE_UNREADABLE' : 'INVALID_KEYSTORE',
    })
  }
})

test.each(['', 'x', '{}', '{"name":"k51","key":{}}', '[]'])('rejects a damaged file (%j) by name', async (text) => {
  const keys = openNameKeys(join(folder, 'state'))
  const key = await createNameKey()
  await keys.add(key, { label: null, password: undefined })
  writeFileSync(pathOf(key.name), text)
  await expect(keys.read(key.name)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
})

test('rejects a file that others can read', async () => {
  const keys = openNameKeys(join(folder, 'state'))
  const key = await createNameKey()
  await keys.add(key, { label: null, password: undefined })
  chmodSync(pathOf(key.name), 0o644)
  await expect(keys.read(key.name)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' })
})

test('reads no other path for an invalid name', async () => {
  const keys = openNameKeys(join(folder, 'state'))
  for (const name of ['../wallet', 'k51/../../x', '', 'K51'.repeat(20)]) expect(await keys.read(name)).toBeUndefined()
})

test('unlocks a seed with its password and name only, and not when any part was changed', async () => {
  const { seed, name } = await createNameKey()
  const locked = await lockSeed(seed, name, 'pässword', 4)
  expect(await unlockSeed(locked, name, 'pa\u0308ssword')).toEqual(seed)
  const flip = (text: string) => {
    const bytes = Buffer.from(text, 'base64')
    bytes[0] = (bytes[0] ?? 0) ^ 1
    return bytes.toString('base64')
  }
  for (const [part, password, about] of [
    [locked, 'passwort', name],
    [locked, 'pässword', `${name}x`],
    [{ ...locked, salt: flip(locked.salt) }, 'pässword', name],
    [{ ...locked, iv: flip(locked.iv) }, 'pässword', name],
    [{ ...locked, ciphertext: flip(locked.ciphertext) }, 'pässword', name],
    [{ ...locked, ciphertext: '' }, 'pässword', name],
    [{ ...locked, logN: 5 }, 'pässword', name],
    // A cost that would exhaust all memory.
    [{ ...locked, logN: 30 }, 'pässword', name],
  ] as const) {
    await expect(unlockSeed(part, about, password)).rejects.toMatchObject({ code: 'INVALID_KEYSTORE' })
  }
})
