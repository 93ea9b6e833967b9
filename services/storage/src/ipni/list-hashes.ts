import { CairnError } from '@cairn/protocol'
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
    for await (const { cid } of walkDag(source, root, { signal })) if (!isDenied(denylist, cid)) add(cid)
  } catch (error) {
    if (!(error instanceof UnixfsError) || error.code !== 'UNSUPPORTED') throw error
    // The links of such a block are unknown; the block itself can be fetched.
    add(root)
  }
  return [...hashes.values()]
}

/** Whether the operator does not serve a CID. */
export function isDenied(denylist: Context['denylist'], cid: CID): boolean {
  try {
    denylist.requireContent(cid)
    return false
  } catch (error) {
    if (CairnError.is(error, 'CONTENT_DENIED') || CairnError.is(error, 'CONTENT_DENIED_BY_LAW')) return true
    throw error
  }
}
