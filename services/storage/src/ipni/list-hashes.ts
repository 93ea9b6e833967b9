import { UnixfsError } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import { walkNodes } from './walk-nodes.ts'

/** Blocks per root, which bounds memory. Readers of larger content find it by its root. */
const maxBlocks = 1_048_576
/** Errors after which the blocks so far are listed: the links of the next one are unknown, or there are too many. */
const partialCodes: readonly string[] = ['UNSUPPORTED', 'TOO_LARGE', 'TOO_DEEP']

/**
 * Lists the multihashes of a root and all blocks below it, without those that the operator denied.
 * @throws CairnError and UnixfsError of reads, such as for damaged blocks
 */
export async function listHashes(
  { packs, denylist }: Pick<Context, 'packs' | 'denylist'>,
  root: CID,
  signal: AbortSignal,
): Promise<Uint8Array[]> {
  const hashes = new Map<string, Uint8Array>()
  const add = ({ multihash: { bytes } }: CID) => hashes.set(Buffer.from(bytes).toString('latin1'), bytes)
  try {
    for await (const cid of walkNodes({ packs }, root, { signal, maxBlocks })) if (!denylist.denies(cid)) add(cid)
  } catch (error) {
    if (!(error instanceof UnixfsError) || !partialCodes.includes(error.code)) throw error
  }
  return [...hashes.values()]
}
