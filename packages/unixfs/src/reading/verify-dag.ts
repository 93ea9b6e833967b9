import type { CID } from 'multiformats/cid'
import { cidKey } from '../cids/cid-key.ts'
import { rawCode } from '../cids/sha256-cid.ts'
import { isIdentityCid } from '../cids/verify.ts'
import type { DagLink } from '../formats/dag-pb.ts'
import { decodeNode } from '../formats/node.ts'
import { UnixfsError } from '../unixfs-error.ts'
import { type BlockSource, loadBlock, type ReadOptions } from './block-source.ts'

/** A source that can check whether a block exists without reading it, which avoids reading raw leaves. */
export type BlockIndex = BlockSource & { has?(cid: CID): boolean | Promise<boolean> }

/** Limits of a check. */
export type VerifyDagOptions = ReadOptions & {
  /** Maximum number of different blocks. Defaults to 4,194,304. */
  maxBlocks?: number
  /** Maximum number of links in all blocks together. Defaults to 64 million. */
  maxLinks?: number
  /** Maximum number of levels, counted on the path that first reaches a block. Defaults to 4,096. */
  maxDepth?: number
}

/** Statistics of a complete DAG. */
export type VerifiedDag = {
  /** Number of different blocks below the roots. */
  blockCount: number
  /** Number of those that are not raw leaves; each was decoded. */
  nodeCount: number
}

/** A node with links in progress. */
type OpenNode = { key: string; links: DagLink[]; next: number }

/**
 * Verifies that everything below the roots exists and can be decoded, as an imported CAR requires. Visits shared parts
 * once, so the work is linear in blocks and links; uses no call stack. The source verifies hashes.
 * @throws UnixfsError MISSING_BLOCK, BAD_BLOCK, UNSUPPORTED, TOO_LARGE, TOO_DEEP, CYCLE (only with a source that does
 *   not check hashes)
 */
export async function verifyDag(
  source: BlockIndex,
  roots: readonly CID[],
  options: VerifyDagOptions = {},
): Promise<VerifiedDag> {
  const { maxBlocks = 4_194_304, maxLinks = 64_000_000, maxDepth = 4096 } = options
  /** Whether a reached block is done; false while it is open. */
  const reached = new Map<string, boolean>()
  const open: OpenNode[] = []
  let nodeCount = 0
  let linkCount = 0

  const reach = async (cid: CID): Promise<void> => {
    const key = cidKey(cid)
    const isDone = reached.get(key)
    if (isDone === true) return
    if (isDone === false) throw new UnixfsError('CYCLE', 'A node links to one of its ancestors', { cid: `${cid}` })
    if (reached.size >= maxBlocks) throw new UnixfsError('TOO_LARGE', `The DAG has more than ${maxBlocks} blocks`)
    if (open.length > maxDepth) throw new UnixfsError('TOO_DEEP', `The DAG has more than ${maxDepth} levels`)
    options.signal?.throwIfAborted()
    const isLeaf = cid.code === rawCode
    reached.set(key, isLeaf)
    if (isLeaf && source.has !== undefined && !isIdentityCid(cid)) {
      const has = source.has(cid)
      if (!(has instanceof Promise ? await has : has)) throw missingBlock(cid)
      return
    }
    const bytes = await loadBlock(source, cid, options)
    if (isLeaf) return
    nodeCount++
    const { links } = decodeNode(cid, bytes)
    linkCount += links.length
    if (linkCount > maxLinks) throw new UnixfsError('TOO_LARGE', `The DAG has more than ${maxLinks} links`)
    open.push({ key, links, next: 0 })
  }

  for (const root of roots) {
    await reach(root)
    for (let node = open.at(-1); node !== undefined; node = open.at(-1)) {
      const link = node.links[node.next++]
      if (link !== undefined) {
        // Finished leaves are the common case in files, and cost no promise.
        if (reached.get(cidKey(link.cid)) !== true) await reach(link.cid)
        continue
      }
      reached.set(node.key, true)
      open.pop()
    }
  }
  return { blockCount: reached.size, nodeCount }
}

/** Returns the error for a missing block. */
export function missingBlock(cid: CID): UnixfsError {
  return new UnixfsError('MISSING_BLOCK', `Block ${cid} is missing`, { cid: `${cid}` })
}
