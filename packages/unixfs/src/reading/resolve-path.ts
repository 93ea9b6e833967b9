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
  /** Called with the CID of each block before it is read, also if the path turns out not to exist. */
  onBlock?: (cid: CID) => void
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
  const { maxSegments = 128, onBlock } = options
  if (segments.length > maxSegments) throw new UnixfsError('TOO_DEEP', `The path has more than ${maxSegments} segments`)
  const blocks: CID[] = []
  const load = (cid: CID): Promise<DagNode> => {
    blocks.push(cid)
    onBlock?.(cid)
    return loadNode(source, cid, options)
  }
  let cid = root
  let node = await load(root)
  const roots = [root]
  for (const [index, name] of segments.entries()) {
    if (node.kind === 'other') return { cid, kind: node.kind, node, remaining: segments.slice(index), roots, blocks }
    const link = await findEntry(node, name, load)
    if (link === undefined) throw new UnixfsError('NOT_FOUND', `The folder has no entry "${name}"`, { cid: `${cid}` })
    cid = link.cid
    roots.push(cid)
    node = await load(cid)
  }
  return { cid, kind: node.kind, node, remaining: [], roots, blocks }
}

async function findEntry(
  node: DagNode,
  name: string,
  load: (shard: CID) => Promise<DagNode>,
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
    shard = await load(link.cid)
    if (shard.kind !== 'hamt' || shard.fanout !== fanout) {
      throw new UnixfsError('BAD_BLOCK', 'A folder shard is of the wrong type', { cid: `${link.cid}` })
    }
  }
}
