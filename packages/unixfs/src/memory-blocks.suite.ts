import { hash as hashOnce } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import type { HashFunction } from './cids/hash-function.ts'
import { createSha256Cid } from './cids/sha256-cid.ts'
import { type BlockIndex, missingBlock } from './reading/verify-dag.ts'
import type { BlockSink, ImportedNode } from './writing/block-sink.ts'
import { createFileImporter } from './writing/file-importer.ts'
import type { ImportProfile } from './writing/profiles.ts'

/** Synchronous SHA-256. */
export const sha256: HashFunction = (bytes) => hashOnce('sha256', bytes, 'buffer')

/** SHA-256 with promises that resolve out of order. */
export const promisedSha256: HashFunction = async (bytes) => {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', Uint8Array.from(bytes)))
  if ((bytes[0] ?? 0) % 3 === 0) await new Promise((resolve) => setImmediate(resolve))
  return digest
}

/** Blocks in memory for tests: both sink and source, counting reads. */
export type MemoryBlocks = BlockSink &
  BlockIndex & {
    blocks: Map<string, Uint8Array>
    read: string[]
    add(code: number, bytes: Uint8Array): CID
    toCids(): string[]
  }

export function createMemoryBlocks(): MemoryBlocks {
  const blocks = new Map<string, Uint8Array>()
  const read: string[] = []
  return {
    blocks,
    read,
    put(cid, bytes) {
      blocks.set(String(cid), Uint8Array.from(bytes))
    },
    async get(cid) {
      read.push(String(cid))
      const bytes = blocks.get(String(cid))
      if (bytes === undefined) throw missingBlock(cid)
      return bytes
    },
    has: (cid) => blocks.has(String(cid)),
    add(code, bytes) {
      const cid = createSha256Cid(1, code, hashOnce('sha256', bytes, 'buffer'))
      blocks.set(String(cid), bytes)
      return cid
    },
    toCids: () => [...blocks.keys()].sort(),
  }
}

/** An identity CID with `bytes`. */
export function createIdentityCid(code: number, bytes: Uint8Array): CID {
  return CID.createV1(code, identity.digest(bytes))
}

/** The interface that the published exporter reads from: the blocks of `source`. */
export function asBlockstore(source: MemoryBlocks): { get(cid: CID): AsyncGenerator<Uint8Array> } {
  return {
    async *get(cid) {
      yield await source.get(cid)
    },
  }
}

export async function importBytes(
  bytes: Uint8Array,
  profile: ImportProfile,
  sink: BlockSink,
  pieceBytes = 65_536,
  hash = sha256,
): Promise<ImportedNode> {
  const importer = createFileImporter({ profile, hash, sink })
  for (let at = 0; at < bytes.length; at += pieceBytes) await importer.write(bytes.subarray(at, at + pieceBytes))
  return importer.finish()
}

export async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}

/** Bytes that differ by position. */
export function patternOf(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length)
  for (let at = 0, state = seed; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}
