import { type BlockSource, type WalkOptions, walkDag } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import { inShortTurns } from '../resources/yield-to-others.ts'

const raw = 0x55

/**
 * Returns the CIDs of a root and of all blocks below it. Reads nodes only: raw leaves have no links.
 * @throws CairnError and UnixfsError of reads, such as for damaged blocks
 */
export async function* walkNodes(
  { packs }: Pick<Context, 'packs'>,
  root: CID,
  options: Pick<WalkOptions, 'signal' | 'maxBlocks'>,
): AsyncGenerator<CID, void, undefined> {
  const reader = packs.openReader()
  const source: BlockSource = {
    get: (cid, reading) => (cid.code === raw ? Promise.resolve(new Uint8Array()) : reader.get(cid, reading)),
  }
  try {
    for await (const { cid } of inShortTurns(walkDag(source, root, options), options.signal)) yield cid
  } finally {
    reader.close()
  }
}
