import { hash as hashOnce } from 'node:crypto'
import { blake2b, blake2s } from '@noble/hashes/blake2.js'
import { blake3 } from '@noble/hashes/blake3.js'
import { keccak_256, keccak_512 } from '@noble/hashes/sha3.js'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { describe, expect, it } from 'vitest'
import { createIdentityCid, patternOf, sha256 } from '../memory-blocks.suite.ts'
import { hashFunctions } from './hash-functions.ts'
import { hashBlock, verifyBlock } from './verify.ts'

const content = new TextEncoder().encode('a cairn shows the way')

/** CIDs of `content` that Kubo 0.43.0 returns for `block put --mhtype`, and `--mhlen` for a length. */
const cidsOfKubo: [name: string, cid: string, digestBytes?: number][] = [
  ['sha1', 'bafkrcfe5mj7lvwyayre634jn2u7piwb7u3cp4ni'],
  ['sha2-256', 'bafkreieinece6zl5qau77ycxf2xiuiy6fb4kmjaqjz5evarasln3tz64y4'],
  [
    'sha2-512',
    'bafkrgqglk2sl6jp2gk5zbgjxifcj6qgatdmftrmzlkf5q2il7oerecrjkv5hzfc6vy4q3g6rh4iw2ymhu77ba5akd2fi6iesk3fkhracmdqr6',
  ],
  [
    'sha3-512',
    'bafkriqgfcioyycontqa6uk4na4qzkyqaebukam5lp2f2tudlxromafnsi4524zhwzl7av2qo5lcdrprfpt7574bpnrtykfhzghjwlllllip2u',
  ],
  ['sha3-384', 'bafkrkmhtbdctpoaspjgx5be22cjgytgv4hewok3seqbufsqemzekrjopxfmmlrp5q2qzjks5o5fbhcgg63pa'],
  ['sha3-256', 'bafkrmidt4gigbf3oa5wkvn6cov2lk42hw4ejebop73rpcu7usmkgegc75a'],
  ['sha3-224', 'bafkrohddu4m6q2xtpvrpqzoe7oims2muiiyyx366znks7os7dp5q'],
  ['keccak-256', 'bafkrwiemgnyhrxoqjzanrcf5twtrvwbhtyay5te5gv7ufiwxu2zccfpiyy'],
  [
    'keccak-512',
    'bafkr2qfeotrkunoijpcpm2ubrngcip7pg36o75gorvsciytfqjj3z4vfdhvlusizbxfx3az2gehdajwzux4cs2gupcnywvol3a6pzblrb35dy',
  ],
  ['blake3', 'bafkr4icvebvra4ttrgzvcseh4l5ksh36v63v4rqehx56ao7rnay2tguazq'],
  ['dbl-sha2-256', 'bafkvmigdjyifc4gdf5iijnsffph36q537gzkgtcke75tgwroqgzzgeac6a'],
  ['blake2b-160', 'bafkzjzaccsxrclki625gjvogzjn7tuhrzz2p7f2caa'],
  ['blake2b-168', 'bafkzlzaccu6fbdar7o3zvlzt2ehjr36mhmzpmm5ej65a'],
  ['blake2b-256', 'bafk2bzacedetyyqc2kwzioutvw5ryhocmn5hlmoebwdv7gs7kz6dq5dxa55b4'],
  ['blake2b-384', 'bafk3bzacgawj7lwjrndf6k3ovgyaziaxihw37f43gzesp4a7os5jthw25gp5pch7p35r72axkgacn7pwkem6o5q'],
  [
    'blake2b-512',
    'bafk4bzacibnxhzv2wfcgu4r4dompgvxufgberhhprj5pi5647kbzpn7oneevyd2zjshx5xq73pb63ptacykmk2tyj3kinq5fynhntq2dk2w6eiq6',
  ],
  ['blake2s-256', 'bafk6bzacecxpenvth6r4ntap3cqm55hqh57hsm2dyefwxh674rpijvcuy66ua'],
  ['sha2-256', 'bafkrefeinece6zl5qau77ycxf2xiuiy6fb4kmja', 20],
  ['sha2-256', 'bafkreh4inece6zl5qau77ycxf2xiuiy6fb4kmjaqjz5evarasln3tz64', 31],
  ['sha2-512', 'bafkrgiglk2sl6jp2gk5zbgjxifcj6qgatdmftrmzlkf5q2il7oerecrjku', 32],
  ['blake2b-256', 'bafk2bzacctetyyqc2kwzioutvw5ryhocmn5hlmoebu', 20],
  ['blake3', 'bafkr4fcvebvra4ttrgzvcseh4l5ksh36v63v4rq', 20],
]

const native = (name: string) => (bytes: Uint8Array) => hashOnce(name, bytes, 'buffer')

/** Another implementation of each function: Node's and @noble/hashes. */
function independently(name: string, digestBytes: number): (bytes: Uint8Array) => Uint8Array {
  const others: Record<string, (bytes: Uint8Array) => Uint8Array> = {
    'sha2-256': sha256 as (bytes: Uint8Array) => Uint8Array,
    'sha2-512': native('sha512'),
    'keccak-256': keccak_256,
    'keccak-512': keccak_512,
    'dbl-sha2-256': (bytes) => native('sha256')(native('sha256')(bytes)),
    'blake2s-256': (bytes) => blake2s(bytes),
    blake3: (bytes) => blake3(bytes),
  }
  if (name.startsWith('blake2b-')) return (bytes) => blake2b(bytes, { dkLen: digestBytes })
  return others[name] ?? native(name)
}

describe('hash functions', () => {
  it.each(cidsOfKubo)('%s gives the CID of Kubo: %s', async (name, text, digestBytes) => {
    const cid = CID.parse(text)
    expect(CID.createV1(0x55, await hashBlock(name, content, digestBytes)).toString()).toBe(text)
    await verifyBlock(cid, content, sha256)
    const check = async () => verifyBlock(cid, content.subarray(1), sha256)
    await expect(check()).rejects.toMatchObject({ code: 'HASH_MISMATCH', details: { cid: text } })
  })

  it('equal other implementations, for empty and large blocks and however many run at once', async () => {
    const blocks = [new Uint8Array(0), patternOf(1), patternOf(1000, 3), patternOf(300_000, 5)]
    await Promise.all(
      hashFunctions.flatMap(({ name, code, digestBytes }) =>
        blocks.map(async (bytes) => {
          const multihash = create(code, independently(name, digestBytes)(bytes))
          expect(multihash.digest.length, name).toBe(digestBytes)
          expect((await hashBlock(name, bytes)).bytes, name).toEqual(multihash.bytes)
          await verifyBlock(CID.createV1(0x55, multihash), bytes, sha256)
        }),
      ),
    )
  })

  it('reject digests below 20 bytes or beyond their own length, by name', async () => {
    for (const { name, code, digestBytes } of hashFunctions) {
      for (const length of [0, 1, 19, digestBytes + 1]) {
        const cid = CID.createV1(0x55, create(code, new Uint8Array(length)))
        const message = expect.stringContaining(`A digest of ${name} has ${length} bytes, expected`)
        await expect((async () => verifyBlock(cid, content, sha256))()).rejects.toMatchObject({
          code: 'UNSUPPORTED',
          message,
        })
        await expect(hashBlock(name, content, length)).rejects.toMatchObject({ code: 'UNSUPPORTED', message })
      }
    }
  })

  it('reject functions that are unsafe or unknown, by name', async () => {
    const cases: [number, RegExp][] = [
      [0x22, /^Hash function murmur3-x64-64 \(0x22\) is not supported$/],
      [0xd5, /^Hash function md5 \(0xd5\) is not supported$/],
      [0x1012, /^Hash function sha2-256-trunc254-padded \(0x1012\) is not supported$/],
      [0x7777, /^Hash function 0x7777 is not supported$/],
    ]
    for (const [code, message] of cases) {
      const cid = CID.createV1(0x55, create(code, new Uint8Array(32)))
      await expect((async () => verifyBlock(cid, content, sha256))()).rejects.toMatchObject({
        code: 'UNSUPPORTED',
        message: expect.stringMatching(message),
      })
    }
    await expect(hashBlock('md5', content)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })

  it('include identity up to 128 bytes', async () => {
    expect((await hashBlock('identity', patternOf(128))).bytes).toEqual(
      createIdentityCid(0x55, patternOf(128)).multihash.bytes,
    )
    await expect(hashBlock('identity', patternOf(129))).rejects.toMatchObject({ code: 'TOO_LARGE' })
    await expect(hashBlock('identity', patternOf(30), 20)).rejects.toMatchObject({ code: 'UNSUPPORTED' })
  })
})
