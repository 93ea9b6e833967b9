import type { CID } from 'multiformats/cid'
import { type BlockSource, loadBlock, type ReadOptions } from './block-source.ts'
import { cidKey } from './cid-key.ts'
import type { DagLink } from './dag-pb.ts'
import { decodeNode } from './node.ts'
import { rawCode } from './sha256-cid.ts'
import { UnixfsError } from './unixfs-error.ts'
import { isIdentityCid } from './verify.ts'

/** A source that can tell without reading whether a block is there, which spares reading raw leaves. */
export type BlockIndex = BlockSource & { has?(cid: CID): boolean | Promise<boolean> }

/** What a check may cost. */
export type VerifyDagOptions = ReadOptions & {
  /** Most different blocks; 4,194,304 unless told. */
  maxBlocks?: number
  /** Most links in all blocks together; 64 million unless told. */
  maxLinks?: number
  /** Most levels, counted on the way that first reaches a block; 4,096 unless told. */
  maxDepth?: number
}

/** What was found complete. */
export type VerifiedDag = {
  /** Different blocks that the roots reach. */
  blockCount: number
  /** Those of them that are not raw leaves; each was decoded. */
  nodeCount: number
}

/** A node whose links are being followed. */
type OpenNode = { key: string; links: DagLink[]; next: number }

/**
 * Checks that everything the roots reach is there and can be decoded, as an imported CAR must be. Shared parts are
 * visited once, so the work is linear in blocks and links; no call stack is used. Hashes are the source's matter.
 * @throws UnixfsError MISSING_BLOCK, BAD_BLOCK, UNSUPPORTED, TOO_LARGE, TOO_DEEP, CYCLE (which only a source that does
 * not check hashes can show)
 */
export async function verifyDag(
  source: BlockIndex,
  roots: readonly CID[],
  options: VerifyDagOptions = {},
): Promise<VerifiedDag> {
  const { maxBlocks = 4_194_304, maxLinks = 64_000_000, maxDepth = 4096 } = options
  /** Whether a block that was reached is done; false while it is open. */
  const reached = new Map<string, boolean>()
  const open: OpenNode[] = []
  let nodeCount = 0
  let linkCount = 0

  const reach = async (cid: CID): Promise<void> => {
    const key = cidKey(cid)
    const isDone = reached.get(key)
    if (isDone === true) return
    if (isDone === false) throw new UnixfsError('CYCLE', 'A node is linked from below itself', { cid: `${cid}` })
    if (reached.size >= maxBlocks) throw new UnixfsError('TOO_LARGE', `A DAG of more than ${maxBlocks} blocks`)
    if (open.length > maxDepth) throw new UnixfsError('TOO_DEEP', `A DAG of more than ${maxDepth} levels`)
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
    if (linkCount > maxLinks) throw new UnixfsError('TOO_LARGE', `A DAG of more than ${maxLinks} links`)
    open.push({ key, links, next: 0 })
  }

  for (const root of roots) {
    await reach(root)
    for (let node = open.at(-1); node !== undefined; node = open.at(-1)) {
      const link = node.links[node.next++]
      if (link !== undefined) {
        // Leaves done before are the common case in files, and cost no promise.
        if (reached.get(cidKey(link.cid)) !== true) await reach(link.cid)
        continue
      }
      reached.set(node.key, true)
      open.pop()
    }
  }
  return { blockCount: reached.size, nodeCount }
}

/** The error for a block that is not there. */
export function missingBlock(cid: CID): UnixfsError {
  return new UnixfsError('MISSING_BLOCK', `Block ${cid} is missing`, { cid: `${cid}` })
}
