import type { CID } from 'multiformats/cid'
import type { DagLink } from '../formats/dag-pb.ts'
import { type DagNode, type NodeKind, slotDigits, slotOf } from '../formats/node.ts'
import { loadHamtSlots } from '../hamt/load-hamt.ts'
import { UnixfsError } from '../unixfs-error.ts'
import { type BlockSource, loadNode, type ReadOptions } from './block-source.ts'

/** Result of resolving a path. */
export type ResolvedPath = {
  cid: CID
  kind: NodeKind
  node: DagNode
  /** Unresolved segments: the path continues inside linked data (`kind` is `other`), which is not UnixFS. */
  remaining: string[]
  /** The root and the CID of each resolved segment, in order; the last is `cid`. */
  roots: CID[]
  /** Every block read on the way, including shards of large folders, in order; the last is `cid`. */
  blocks: CID[]
}

/** Limits of a path. */
export type ResolveOptions = ReadOptions & {
  /** Maximum number of segments. Defaults to 128. */
  maxSegments?: number
}

/**
 * Resolves `segments` (already percent-decoded) from `root` through folders, sharded or not. Does not follow symbolic
 * links. Each segment costs one block, or one per level in a sharded folder.
 * @throws UnixfsError NOT_FOUND, NOT_A_DIRECTORY, TOO_DEEP, BAD_BLOCK, and errors of the source
 */
export async function resolvePath(
  source: BlockSource,
  root: CID,
  segments: readonly string[],
  options: ResolveOptions = {},
): Promise<ResolvedPath> {
  const { maxSegments = 128 } = options
  if (segments.length > maxSegments) throw new UnixfsError('TOO_DEEP', `The path has more than ${maxSegments} segments`)
  let cid = root
  let node = await loadNode(source, root, options)
  const roots = [root]
  const blocks = [root]
  for (const [index, name] of segments.entries()) {
    if (node.kind === 'other') return { cid, kind: node.kind, node, remaining: segments.slice(index), roots, blocks }
    const link = await findEntry(source, node, name, blocks, options)
    if (link === undefined) throw new UnixfsError('NOT_FOUND', `The folder has no entry "${name}"`, { cid: `${cid}` })
    cid = link.cid
    roots.push(cid)
    blocks.push(cid)
    node = await loadNode(source, cid, options)
  }
  return { cid, kind: node.kind, node, remaining: [], roots, blocks }
}

async function findEntry(
  source: BlockSource,
  node: DagNode,
  name: string,
  blocks: CID[],
  options: ReadOptions,
): Promise<DagLink | undefined> {
  if (node.kind === 'directory') return node.links.find((link) => link.name === name)
  if (node.kind !== 'hamt')
    throw new UnixfsError(
      'NOT_A_DIRECTORY',
      `The path continues below a ${node.kind === 'symlink' ? 'symbolic link' : 'file'}`,
    )
  const { fanout } = node
  const digits = slotDigits(fanout)
  const { slotsOfName } = await loadHamtSlots()
  const slotAt = slotsOfName(name, fanout)
  let shard: DagNode = node
  for (let level = 0; ; level++) {
    const slot = slotAt(level)
    const link: DagLink | undefined = shard.links.find((entry) => slotOf(entry.name, digits) === slot)
    if (link === undefined) return undefined
    if (link.name.length > digits) return link.name.slice(digits) === name ? link : undefined
    blocks.push(link.cid)
    shard = await loadNode(source, link.cid, options)
    if (shard.kind !== 'hamt' || shard.fanout !== fanout) {
      throw new UnixfsError('BAD_BLOCK', 'A folder shard is of the wrong type', { cid: `${link.cid}` })
    }
  }
}
