import { createCipheriv, createHash, hash as hashOnce } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ImportedNode } from './block-sink.ts'
import { createDirectoryTree } from './directory-tree.ts'
import { createFileImporter } from './file-importer.ts'
import { type ImportProfile, importProfiles } from './profiles.ts'

const hash = (bytes: Uint8Array): Uint8Array => hashOnce('sha256', bytes, 'buffer')
const sink = { put: () => undefined }
const v1Wrapped: ImportProfile = { ...importProfiles.v1, name: 'v1-wrapped', rawLeaves: false }

/** The first `length` bytes of the ChaCha20 keystream with the SHA-256 of `seed` as key, in chunks. */
function* chacha(seed: string, length: number, pieceBytes = 1_000_003): Generator<Uint8Array> {
  const key = createHash('sha256').update(seed).digest()
  const cipher = createCipheriv('chacha20', key, new Uint8Array(16))
  for (let at = 0; at < length; at += pieceBytes) yield cipher.update(new Uint8Array(Math.min(pieceBytes, length - at)))
}

async function importFile(pieces: Iterable<Uint8Array>, profile: ImportProfile): Promise<ImportedNode> {
  const importer = createFileImporter({ profile, hash, sink })
  for (const piece of pieces) await importer.write(piece)
  return importer.finish()
}

const importText = (text: string, profile: ImportProfile) => importFile([Buffer.from(text)], profile)

const { v0, v1, 'unixfs-v1-2025': v1of2025 } = importProfiles

describe('CIDs of files equal those of Kubo', () => {
  const files: [string, () => Iterable<Uint8Array>, [ImportProfile, string][]][] = [
    [
      'no bytes',
      () => [],
      [
        [v0, 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH'],
        [v1, 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'],
        [v1of2025, 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'],
      ],
    ],
    [
      'hello world',
      () => [Buffer.from('hello world')],
      [
        [v0, 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'],
        [v1, 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'],
        [v1of2025, 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'],
        [v1Wrapped, 'bafybeihykld7uyxzogax6vgyvag42y7464eywpf55gxi5qpoisibh3c5wa'],
      ],
    ],
    [
      'exactly one chunk',
      () => chacha('chunk-v0-seed', 262_144),
      [
        [v0, 'QmWmRj3dFDZdb6ABvbmKhEL6TmPbAfBZ1t5BxsEyJrcZhE'],
        [v1, 'bafkreid33n22tcydu7pk2egzkyq4phh5mjwhyf6son6zggnlnlyi3257um'],
      ],
    ],
    [
      'one chunk and one byte',
      () => chacha('chunk-v0-seed', 262_145),
      [
        [v0, 'QmYyLxtzZyW22zpoVAtKANLRHpDjZtNeDjQdJrcQNWoRkJ'],
        [v1, 'bafybeibyui7o3sbw3yifnewshhrbnuntcehluzvbkwgi5vmtsdobnc2c6y'],
      ],
    ],
    [
      'exactly 174 chunks',
      () => chacha('v0-seed', 174 * 262_144),
      [
        [v0, 'QmUbBALi174SnogsUzLpYbD4xPiBSFANF4iztWCsHbMKh2'],
        [v1, 'bafybeidajp2ewrtxcagm2u3qstbk2kw5srzbu7g7oraqepajpgumviz3z4'],
      ],
    ],
    [
      '174 chunks and one byte',
      () => chacha('v0-seed', 174 * 262_144 + 1),
      [
        [v0, 'QmV81WL765sC8DXsRhE5fJv2rwhS4icHRaf3J9Zk5FdRnW'],
        [v1, 'bafybeifr472xiwfk53w5s7bayijk3lq2go6ocqqcfch6ygy5qwza5hkdl4'],
      ],
    ],
    [
      '1 MiB and one byte',
      () => chacha('chunk-v1-seed', 1_048_577),
      [
        [v1of2025, 'bafybeigmix7t42i6jacydtquhet7srwvgpizfg7gjbq7627d35mjomtu64'],
        [v1, 'bafybeidggqjmlziefwt6c7hqzfqxkvmibsjdcyufxrw2uxytriwjhglceu'],
      ],
    ],
  ]
  // Each takes seconds to hash, so only in the long ring.
  if (Number(process.env['CAIRN_TEST_FUZZ'] ?? 1) > 1) {
    files.push([
      '1 GiB and one byte',
      () => chacha('v1-2025-seed', 2 ** 30 + 1, 1_048_576),
      [
        [v1of2025, 'bafybeibdsi225ugbkmpbdohnxioyab6jsqrmkts3twhpvfnzp77xtzpyhe'],
        [v1, 'bafybeif3z7v6leozy6bbzzwi4xbhuzuyawnp6o62dz57tttqryhwi6jkhe'],
      ],
    ])
  }
  for (const [title, pieces, expected] of files) {
    for (const [profile, cid] of expected) {
      it(`${title}, ${profile.name}`, async () => {
        expect(String((await importFile(pieces(), profile)).cid)).toBe(cid)
      })
    }
  }
})

function* hamtNames(seed: string, lengths: number[]): Generator<string> {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz01234567890-_'
  const [stream = new Uint8Array(0)] = chacha(seed, 1_048_576, 1_048_576)
  let at = 0
  for (const length of lengths) {
    yield Array.from(stream.subarray(at, at + length), (byte) => alphabet[byte % 39]).join('')
    at += length
  }
}

async function importFolder(entries: Iterable<[string, ImportedNode]>, profile: ImportProfile): Promise<string> {
  const tree = createDirectoryTree({ profile, hash, sink })
  for (const [path, node] of entries) tree.addFile(path, node)
  return String((await tree.finish()).root.cid)
}

describe('CIDs of folders equal those of Kubo', () => {
  it.each([
    [v0, 'QmNxvA5bwvPGgMXbmtyhxA1cKFdvQXnsGnZLCGor3AzYxJ'],
    [v1, 'bafybeic6svhkwl3y2wvkj33weshyjjs5cbvgijh7yo3kjasyglrdwe2l74'],
    [v1of2025, 'bafybeic6svhkwl3y2wvkj33weshyjjs5cbvgijh7yo3kjasyglrdwe2l74'],
  ])('a folder around one file, $name', async (profile, cid) => {
    expect(await importFolder([['hello.txt', await importText('hello world', profile)]], profile)).toBe(cid)
  })

  it.each([
    [v0, 'QmbEYFzP7jWYp9iWebgasE9xU85yXfnR7DxonKdkVZiyWM'],
    [v1, 'bafybeiedz7cduulu2r44iivcdoop3pg7hijzurvl5dyjf4skoeibbp5y6e'],
  ])('nested, with odd names, $name', async (profile, cid) => {
    const entries: [string, ImportedNode][] = [
      ['a', await importText('lower after upper', profile)],
      ['Z/two.bin', await importFile(chacha('nested', 300_000), profile)],
      ['ü.txt', await importText('grüße', profile)],
      ['a b.txt', await importText('space', profile)],
      ['Z/empty', await importFile([], profile)],
    ]
    expect(await importFolder(entries, profile)).toBe(cid)
  })

  it('an empty folder', async () => {
    expect(await importFolder([], v0)).toBe('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
  })

  it.each([
    [
      'at the threshold, flat',
      v0,
      'hamt-unixfs-v0-2015',
      Array(4096).fill(30),
      'QmX5GtRk3TSSEHtdrykgqm4eqMEn3n2XhfkFAis5fjyZmN',
    ],
    [
      'over the threshold',
      v0,
      'hamt-unixfs-v0-2015',
      Array(4033).fill(31),
      'QmeMiJzmhpJAUgynAcxTQYek5PPKgdv3qEvFsdV3XpVnvP',
    ],
    [
      'over the threshold',
      v1,
      'hamt-unixfs-v0-2015',
      Array(4033).fill(31),
      'bafybeihg5a7qei2gdpmmkokpy3tozvf7trvq5xn3z5ifqymjj7jo4h55p4',
    ],
    [
      'over the threshold',
      v1of2025,
      'hamt-unixfs-v1-2025',
      [...Array(4765).fill(11), 22],
      'bafybeiegvuterwurhdtkikfhbxcldohmxp566vpjdofhzmnhv6o4freidu',
    ],
  ] as const)('large, %s, %o', async (_title, profile, seed, lengths, cid) => {
    const node = await importText('x', profile)
    const entries = Array.from(hamtNames(seed, [...lengths]), (name): [string, ImportedNode] => [name, node])
    expect(await importFolder(entries, profile)).toBe(cid)
  })
})

it('raw leaves below a root of version 0 are of version 1', async () => {
  const blocks: string[] = []
  const sink = { put: (cid: { toString(): string }) => void blocks.push(cid.toString()) }
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
  const profile = { ...importProfiles.v0, rawLeaves: true }
  const one = createFileImporter({ profile, hash, sink })
  await one.write(new TextEncoder().encode('hello world'))
  expect((await one.finish()).cid.toString()).toBe('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')
  const two = createFileImporter({ profile, hash, sink })
  await two.write(new Uint8Array(300_000))
  expect((await two.finish()).cid.toString()).toBe('QmX5eBYbJUfvQVkwreS6PfQXTaH1iupAzLdGT6xrmW7cSY')
  expect(blocks.filter((cid) => cid.startsWith('bafkrei'))).toHaveLength(3)
})
