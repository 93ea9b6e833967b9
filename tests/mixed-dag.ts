import { createHash } from 'node:crypto'
import { hashBlock } from '@cairn/unixfs'
import { CarWriter } from '@ipld/car'
import { CID } from 'multiformats/cid'

const rawCode = 0x55
const dagPbCode = 0x70
const dagJsonCode = 0x0129
const leafBytes = 200_000

/** Hash functions of the leaves, one truncated. */
const leafHashes: readonly [name: string, digestBytes?: number][] = [
  ['sha1'],
  ['sha2-256'],
  ['sha2-512'],
  ['sha3-256'],
  ['sha3-384'],
  ['sha3-512'],
  ['keccak-256'],
  ['blake2b-256'],
  ['blake2b-512'],
  ['blake2s-256'],
  ['blake3'],
  ['dbl-sha2-256'],
  ['sha2-256', 20],
]

/** A block of the DAG. */
type Block = { cid: CID; bytes: Uint8Array }

/** A DAG whose blocks use many hash functions. */
export type MixedDag = {
  /** The folder, and a DAG-JSON document that links to it. */
  roots: CID[]
  folder: CID
  /** Content of the entry `file` of the folder: one part per hash function, the last in an identity CID. */
  file: Uint8Array
  /** Every block, each under its CID. Leaves first. */
  blocks: Block[]
  /** The DAG as a CAR, by @ipld/car. */
  car: Uint8Array<ArrayBuffer>
}

const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)])
const field = (tag: number, bytes: Uint8Array) =>
  Buffer.concat([Uint8Array.from([tag, ...varint(bytes.length)]), bytes])

async function blockOf(code: number, bytes: Uint8Array, hash: string, digestBytes?: number): Promise<Block> {
  return { cid: CID.createV1(code, await hashBlock(hash, bytes, digestBytes)), bytes }
}

/** Encodes a dag-pb node by hand. */
function encodeNode(links: readonly { cid: CID; name: string; sizeBytes: number }[], data: Uint8Array): Buffer {
  const encoded = links.map(({ cid, name, sizeBytes }) =>
    field(
      0x12,
      Buffer.concat([
        field(0x0a, cid.bytes),
        field(0x12, Buffer.from(name)),
        Uint8Array.from([0x18, ...varint(sizeBytes)]),
      ]),
    ),
  )
  return Buffer.concat([...encoded, field(0x0a, data)])
}

/** Builds the DAG. Different seeds share no block. */
export async function buildMixedDag(seed: string): Promise<MixedDag> {
  const leaves: Block[] = []
  for (const [hash, digestBytes] of leafHashes) {
    const bytes = createHash('shake256', { outputLength: leafBytes }).update(`${seed} ${hash} ${digestBytes}`).digest()
    leaves.push(await blockOf(rawCode, bytes, hash, digestBytes))
  }
  const end = await blockOf(rawCode, Buffer.from(`the end of ${seed}`), 'identity')
  const parts = [...leaves, end]
  const file = Buffer.concat(parts.map(({ bytes }) => bytes))
  const sizes = parts.flatMap(({ bytes }) => [0x20, ...varint(bytes.length)])
  const links = parts.map(({ cid, bytes }) => ({ cid, name: '', sizeBytes: bytes.length }))
  const fileData = Uint8Array.from([0x08, 2, 0x18, ...varint(file.length), ...sizes])
  const fileNode = await blockOf(dagPbCode, encodeNode(links, fileData), 'blake2b-256')
  const entry = { cid: fileNode.cid, name: 'file', sizeBytes: file.length + fileNode.bytes.length }
  const folder = await blockOf(dagPbCode, encodeNode([entry], Uint8Array.of(0x08, 1)), 'sha3-512')
  const json = Buffer.from(`{"folder":{"/":"${folder.cid}"},"seed":"${seed}"}`)
  const document = await blockOf(dagJsonCode, json, 'sha2-512')
  const roots = [folder.cid, document.cid]
  const blocks = [...leaves, fileNode, folder, document]
  return { roots, folder: folder.cid, file, blocks, car: await encodeCar(roots, blocks) }
}

async function encodeCar(roots: CID[], blocks: readonly Block[]): Promise<Uint8Array<ArrayBuffer>> {
  const { writer, out } = CarWriter.create(roots)
  const pieces = Array.fromAsync(out)
  for (const block of blocks) await writer.put(block)
  await writer.close()
  return new Uint8Array(Buffer.concat(await pieces))
}
