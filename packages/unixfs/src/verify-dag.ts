import type { CID } from 'multiformats/cid'
import { type BlockSource, loadBlock, type ReadOptions } from './block-source.ts'
import { cidKey } from './cid-key.ts'
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
  /** Different blocks of each codec that is not a raw leaf, all decoded. */
  nodeCount: number
}

/**
 * Checks that everything the roots reach is there and can be decoded, as an imported CAR must be. Shared parts are
 * visited once, so the work is linear in the blocks whatever their links; no call stack is used. Hashes are the source's
 * matter.
 * @throws UnixfsError MISSING_BLOCK, BAD_BLOCK, UNSUPPORTED, TOO_LARGE, TOO_DEEP
 */
export async function verifyDag(
  source: BlockIndex,
  roots: readonly CID[],
  options: VerifyDagOptions = {},
): Promise<VerifiedDag> {
  const { maxBlocks = 4_194_304, maxLinks = 64_000_000, maxDepth = 4096 } = options
  const seen = new Set<string>()
  const waiting: { cid: CID; depth: number }[] = []
  let nodeCount = 0
  let linkCount = 0

  const reach = (cid: CID, depth: number): void => {
    const key = cidKey(cid)
    if (seen.has(key)) return
    seen.add(key)
    if (seen.size > maxBlocks) throw new UnixfsError('TOO_LARGE', `A DAG of more than ${maxBlocks} blocks`)
    if (depth > maxDepth) throw new UnixfsError('TOO_DEEP', `A DAG of more than ${maxDepth} levels`, { cid: `${cid}` })
    waiting.push({ cid, depth })
  }

  for (const root of roots) reach(root, 0)
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { cid, depth } = next
    options.signal?.throwIfAborted()
    if (cid.code === rawCode && source.has !== undefined && !isIdentityCid(cid)) {
      const has = source.has(cid)
      if (!(has instanceof Promise ? await has : has)) throw missingBlock(cid)
      continue
    }
    const bytes = await loadBlock(source, cid, options)
    if (cid.code === rawCode) continue
    nodeCount++
    const { links } = decodeNode(cid, bytes)
    linkCount += links.length
    if (linkCount > maxLinks) throw new UnixfsError('TOO_LARGE', `A DAG of more than ${maxLinks} links`)
    for (const link of links) reach(link.cid, depth + 1)
  }
  return { blockCount: seen.size, nodeCount }
}

/** The error for a block that is not there. */
export function missingBlock(cid: CID): UnixfsError {
  return new UnixfsError('MISSING_BLOCK', `Block ${cid} is missing`, { cid: `${cid}` })
}
