import type { CID } from 'multiformats/cid'
import { cidKey } from '../cids/cid-key.ts'
import { type CidList, packCids } from '../cids/cid-list.ts'
import { isIdentityCid } from '../cids/verify.ts'
import type { DagLink } from '../formats/dag-pb.ts'
import { type DagNode, decodeNode, slotDigits } from '../formats/node.ts'
import { UnixfsError } from '../unixfs-error.ts'
import { type BlockSource, loadBlock, type ReadOptions } from './block-source.ts'
import { childrenInRange, packParts } from './read-file.ts'

/** Part of a DAG, in the terms of the trustless gateway. */
export type WalkOptions = ReadOptions & {
  /**
   * `block`: only the root. `entity`: all of a file, the folder without its entries (all shards of a large one), or the root of
   * linked data. `all`, the default: everything below.
   */
  scope?: 'block' | 'entity' | 'all'
  /**
   * With `entity` and a file: only blocks with these bytes. Both ends are inclusive, negative numbers count from the end of the
   * file, `*` is its end. A range beyond the file selects only the root.
   */
  entityBytes?: { from: number; to: number | '*' }
  /** Yields a block for each link to it; otherwise once. */
  dups?: boolean
  /** Yields the blocks that identity CIDs contain, too. */
  withIdentity?: boolean
  /** Maximum number of blocks yielded or pending. Defaults to 4,194,304 (1 TiB in chunks of 256 KiB). */
  maxBlocks?: number
  /**
   * Maximum bytes of links that are pending on all levels. Defaults to 32 MiB: sixteen nested nodes whose links each fill a block
   * of 2 MiB.
   */
  maxPendingBytes?: number
  /** Maximum number of levels. Defaults to 4,096 (128 folders of 32 levels). */
  maxDepth?: number
}

type Step = {
  cid: CID
  depth: number
  start: number
  /** Size that its parent claims, for a part of a file that is read by range. */
  sizeBytes?: number | undefined
}
/**
 * The pending children of a block. A walk keeps one per level for as long as its reader takes, so it has no decoded
 * links: those of one block take up to 40 MB.
 */
type Level = {
  cids: CidList
  next: number
  depth: number
  /** Start and size of each part of a file that is read by range. */
  parts: { starts: Float64Array; sizes: Float64Array } | undefined
}
const defaultMaxPendingBytes = 32 * 1024 * 1024

function sizeOf({ cids, parts }: Level): number {
  return cids.sizeBytes + (parts === undefined ? 0 : parts.starts.byteLength + parts.sizes.byteLength)
}

type Range = { fromByte: number; toByte: number }

/**
 * Walks the DAG below `root`, depth first, each block before its children and children in the order of their links: the
 * order `dfs` of trustless CARs. Walks through identity CIDs, which contain their block, and yields them on request only.
 * Uses no call stack, so depth costs only memory.
 * @throws UnixfsError TOO_DEEP, TOO_LARGE, BAD_BLOCK, UNSUPPORTED (a codec with unknown links), and errors of the
 *   source
 * @see https://specs.ipfs.tech/http-gateways/trustless-gateway/
 */
export async function* walkDag(
  source: BlockSource,
  root: CID,
  options: WalkOptions = {},
): AsyncGenerator<{ cid: CID; bytes: Uint8Array }, void, undefined> {
  const {
    scope = 'all',
    entityBytes,
    dups = false,
    withIdentity = false,
    maxBlocks = 4_194_304,
    maxPendingBytes = defaultMaxPendingBytes,
    maxDepth = 4096,
  } = options
  /** Whether all that is wanted below a block was walked: the same node may be at another end of the range, too. */
  const walked = new Map<string, boolean>()
  const levels: Level[] = []
  let pending = 0
  let pendingBytes = 0
  let range: Range | undefined
  let given = 0

  const nextStep = (): Step | undefined => {
    const level = levels.at(-1)
    if (level === undefined) return undefined
    const { cids, depth, parts } = level
    const at = level.next++
    // A level is removed with its last child, not after the blocks below it.
    if (level.next >= cids.length) {
      levels.pop()
      pendingBytes -= sizeOf(level)
    }
    pending--
    const [cid] = cids.slice(at, at + 1)
    return cid === undefined ? undefined : { cid, depth, start: parts?.starts[at] ?? 0, sizeBytes: parts?.sizes[at] }
  }

  /** Adds the children of a block. The decoded node does not outlive it. */
  const descend = ({ cid, depth, start, sizeBytes }: Step, bytes: Uint8Array): void => {
    const node = decodeNode(cid, bytes)
    if (depth === 0 && entityBytes !== undefined && 'fileSizeBytes' in node) {
      range = absoluteRange(entityBytes, node.fileSizeBytes)
    }
    // As its reader does. With other sizes, a few blocks could have any number of parts at the ends of a range.
    if (sizeBytes !== undefined && 'fileSizeBytes' in node && node.fileSizeBytes !== sizeBytes) {
      const what = `A part of a file has ${node.fileSizeBytes} bytes, not ${sizeBytes}`
      throw new UnixfsError('BAD_BLOCK', what, { cid: `${cid}` })
    }
    if (node.links.length === 0) return
    const level = scope === 'all' ? allChildren(node.links, depth) : entityChildren(node, depth, start, range)
    if (level === undefined || level.cids.length === 0) return
    if (depth + 1 > maxDepth) throw new UnixfsError('TOO_DEEP', `The DAG has more than ${maxDepth} levels`)
    if (given + pending + level.cids.length > maxBlocks) {
      throw new UnixfsError('TOO_LARGE', `The DAG has more than ${maxBlocks} blocks`)
    }
    pendingBytes += sizeOf(level)
    if (pendingBytes > maxPendingBytes) {
      throw new UnixfsError('TOO_LARGE', 'The DAG has too many links on one way down')
    }
    source.prefetch?.(level.cids)
    levels.push(level)
    pending += level.cids.length
  }

  for (let step: Step | undefined = { cid: root, depth: 0, start: 0 }; step !== undefined; step = nextStep()) {
    const { cid, depth } = step
    let isNew = true
    if (!dups) {
      const key = cidKey(cid)
      const before = walked.get(key)
      if (before === true) continue
      isNew = before === undefined
      walked.set(key, !isPartial(step, range))
    }
    const bytes = await loadBlock(source, cid, options)
    if (isNew && (withIdentity || !isIdentityCid(cid))) {
      yield { cid, bytes }
      given++
    }
    if (scope === 'block') return
    if (scope === 'entity' && depth === 0 && !isUnixfsCodec(cid)) return
    descend(step, bytes)
  }
}

/** Returns whether only a part of the DAG below a block is requested. */
function isPartial({ start, sizeBytes }: Step, range: Range | undefined): boolean {
  if (range === undefined || sizeBytes === undefined) return false
  return start < range.fromByte || start + sizeBytes > range.toByte
}

function isUnixfsCodec({ code }: CID): boolean {
  return code === 0x55 || code === 0x70
}

function allChildren(links: readonly DagLink[], depth: number): Level {
  return { cids: packCids(links.map(({ cid }) => cid)), next: 0, depth: depth + 1, parts: undefined }
}

function entityChildren(node: DagNode, depth: number, start: number, range: Range | undefined): Level | undefined {
  if (node.kind === 'hamt') {
    const digits = slotDigits(node.fanout)
    return allChildren(
      node.links.filter(({ name }) => name.length === digits),
      depth,
    )
  }
  if (node.kind !== 'file') return undefined
  if (range === undefined) return allChildren(node.links, depth)
  const { cids, ...parts } = packParts(childrenInRange(node, start, range.fromByte, range.toByte))
  return { cids, next: 0, depth: depth + 1, parts }
}

function absoluteRange({ from, to }: { from: number; to: number | '*' }, sizeBytes: number): Range {
  const fromByte = from < 0 ? Math.max(0, sizeBytes + from) : from
  const last = to === '*' ? sizeBytes - 1 : to < 0 ? sizeBytes + to : to
  return { fromByte, toByte: Math.min(last + 1, sizeBytes) }
}
