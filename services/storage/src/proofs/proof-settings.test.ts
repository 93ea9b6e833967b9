import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { parseDealSettings, parseProviders } from './proof-settings.ts'

const key = 'secret-secret-secret'
const provider = { kind: 'cairn', name: 'alder', url: 'https://alder.example', key }

function refusal(read: () => unknown): string {
  try {
    read()
  } catch (error) {
    if (CairnError.is(error, 'INVALID_CONFIGURATION')) return error.message
    throw error
  }
  throw new Error('it was accepted')
}

test('a provider is known by its name and has a key, in the setting or in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-keys-'))
  try {
    const keyFile = join(folder, 'key')
    writeFileSync(keyFile, `${key}\n`)
    const [one, two] = parseProviders(
      JSON.stringify([
        provider,
        { ...provider, name: 'birch', key: undefined, keyFile, publicUrl: 'https://b.example' },
      ]),
    )
    expect(one).toEqual({ ...provider, publicUrl: provider.url })
    expect(two).toMatchObject({ name: 'birch', key, publicUrl: 'https://b.example' })
  } finally {
    rmSync(folder, { recursive: true })
  }
  expect(parseProviders('')).toEqual([])
})

test.each([
  ['no JSON', '[', 'not JSON'],
  ['no list', '{}', 'not valid'],
  ['an unknown kind', JSON.stringify([{ ...provider, kind: 'disk' }]), 'kind'],
  ['no key', JSON.stringify([{ ...provider, key: undefined }]), 'neither key nor keyFile'],
  [
    'a key file that is not there',
    JSON.stringify([{ ...provider, key: undefined, keyFile: '/nowhere/key' }]),
    'keyFile of alder',
  ],
  ['a name with blanks', JSON.stringify([{ ...provider, name: 'a b' }]), 'name'],
  ['a URL that is none', JSON.stringify([{ ...provider, url: 'alder' }]), 'url'],
  ['two of one name', JSON.stringify([provider, provider]), 'same name'],
  ['what nobody reads', JSON.stringify([{ ...provider, colour: 1 }]), 'colour'],
])('a list with %s is refused', (_, json, says) => {
  const message = refusal(() => parseProviders(json))
  expect(message).toContain('CAIRN_PROVIDERS')
  expect(message).toContain(says)
})

test('a key is never in a message', () => {
  const short = refusal(() => parseProviders(JSON.stringify([{ ...provider, key: 'hush' }])))
  expect(short).not.toContain('hush')
  const wrong = refusal(() => parseProviders(JSON.stringify([{ ...provider, url: 'x' }])))
  expect(wrong).not.toContain(key)
})

test('what is not said of deals is usual', () => {
  expect(parseDealSettings('')).toMatchObject({ copies: 2, copiesMost: 5, waitMs: 3_600_000, challengeLeaves: 5 })
  expect(parseDealSettings('{"waitSeconds":0.5}')).toMatchObject({ waitMs: 500, copies: 2 })
})

test.each([
  '{',
  '{"copies":0}',
  '{"copies":6}',
  '{"copies":3,"copiesMost":2}',
  '{"pollMs":1}',
  '{"challengeSeconds":0}',
  '{"leaves":3}',
])('deals as %s are refused', (json) => {
  expect(refusal(() => parseDealSettings(json))).toContain('CAIRN_DEALS')
})
