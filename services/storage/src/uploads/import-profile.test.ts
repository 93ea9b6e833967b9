import { importProfiles } from '@cairn/unixfs'
import { describe, expect, it } from 'vitest'
import { thrownCodeOf } from '../../../../tests/code-of.ts'
import { isKuboClient } from '../http/kubo-client.ts'
import { type ProfileQuery, readImportProfile } from './import-profile.ts'

describe('the import profile', () => {
  it('follows cid-version, and the default of the client', () => {
    expect(readImportProfile({}, 1)).toBe(importProfiles.v1)
    expect(readImportProfile({}, 0)).toBe(importProfiles.v0)
    expect(readImportProfile({ 'cid-version': '0' }, 1)).toBe(importProfiles.v0)
    expect(readImportProfile({ 'cid-version': '1' }, 0)).toBe(importProfiles.v1)
    expect(readImportProfile({ profile: 'unixfs-v1-2025' }, 0)).toBe(importProfiles['unixfs-v1-2025'])
    expect(readImportProfile({ profile: 'unixfs-v0-2015' }, 1)).toBe(importProfiles.v0)
    expect(readImportProfile({ 'raw-leaves': false }, 1)).toMatchObject({ cidVersion: 1, rawLeaves: false })
    expect(readImportProfile({ chunker: 'size-65536' }, 1)).toMatchObject({ chunkSizeBytes: 65_536 })
    expect(readImportProfile({ 'max-file-links': '3' }, 1)).toMatchObject({ maxLinks: 3 })
    expect(readImportProfile({ 'max-hamt-fanout': '16' }, 1)).toMatchObject({ hamtFanout: 16 })
    expect(readImportProfile({ 'max-directory-links': '10' }, 1)).toMatchObject({ maxFolderLinks: 10 })
    expect(readImportProfile({ 'max-directory-links': '0', 'max-file-links': '174' }, 1)).toBe(importProfiles.v1)
    expect(readImportProfile({ trickle: 'False', nocopy: 'f', inline: '0' }, 1)).toBe(importProfiles.v1)
  })

  it('rejects options that would give another CID than requested', () => {
    for (const version of ['2', '3', '', 'null', '01', '1 '])
      expect(
        thrownCodeOf(() => readImportProfile({ 'cid-version': version }, 1)),
        version,
      ).toBe('INVALID_CID_VERSION')
    const bad: ProfileQuery[] = [
      { hash: 'blake3' },
      { trickle: 'true' },
      { nocopy: 'True' },
      // Set without a value, as in Kubo.
      { trickle: '' },
      { inline: '' },
      { inline: 'true' },
      { 'to-files': '/x' },
      { n: 'true' },
      { s: 'size-65536' },
      { t: '' },
      { w: 'false' },
      { 'max-file-links': '1' },
      { 'max-file-links': 'many' },
      { 'max-hamt-fanout': '100' },
      { 'max-hamt-fanout': '2048' },
      { 'max-directory-links': '-1' },
      { chunker: 'rabin' },
      { chunker: 'size-1' },
      { chunker: 'size-2097152' },
      { chunker: 'size-99999999999' },
      { profile: 'unixfs-v1-2025', 'cid-version': '0' },
    ]
    for (const query of bad)
      expect(
        thrownCodeOf(() => readImportProfile(query, 1)),
        JSON.stringify(query),
      ).toBe('INVALID_REQUEST')
  })
})

describe('a client of Kubo', () => {
  it('is recognised by its own parameters', () => {
    expect(isKuboClient({ progress: false }, {})).toBe(true)
    expect(isKuboClient({ 'stream-channels': true }, {})).toBe(true)
    expect(isKuboClient({}, { 'user-agent': 'kubo/0.43.0/' })).toBe(true)
    const boundary = 'multipart/form-data; boundary=-----------------------------V1StGXR8_Z5jdHi6B-myT'
    expect(isKuboClient({}, { 'content-type': boundary })).toBe(true)
    expect(
      isKuboClient(
        { 'cid-version': '1', 'wrap-with-directory': false },
        { 'user-agent': 'node', 'content-type': 'multipart/form-data; boundary=----WebKitFormBoundary1234567890123' },
      ),
    ).toBe(false)
    expect(
      isKuboClient(
        {},
        {
          'user-agent': 'curl/8',
          'content-type': 'multipart/form-data; boundary=------------------------abcdefghijklmnopqrstuv',
        },
      ),
    ).toBe(false)
  })
})
