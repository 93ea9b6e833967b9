import { type BlockSource, UnixfsError, walkDag } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'

const raw = 0x55

/**
 * Lists the multihashes of all blocks below a root, without those that the operator denied. Reads nodes only: raw leaves
 * have no links.
 * @throws CairnError and UnixfsError of reads, such as for damaged blocks
 */
export async function listHashes(
  { packs, denylist }: Pick<Context, 'packs' | 'denylist'>,
  root: CID,
  signal: AbortSignal,
): Promise<Uint8Array[]> {
  const reader = packs.openReader()
  const source: BlockSource = {
    get: (cid, options) => (cid.code === raw ? Promise.resolve(new Uint8Array()) : reader.get(cid, options)),
  }
  const hashes = new Map<string, Uint8Array>()
  const add = ({ multihash: { bytes } }: CID) => hashes.set(Buffer.from(bytes).toString('latin1'), bytes)
  try {
    for await (const { cid } of walkDag(source, root, { signal })) if (!denylist.denies(cid)) add(cid)
  } catch (error) {
    if (!(error instanceof UnixfsError) || error.code !== 'UNSUPPORTED') throw error
    // The links of such a block are unknown; the block itself can be fetched.
    add(root)
  }
  return [...hashes.values()]
}
