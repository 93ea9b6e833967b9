import type { CID } from 'multiformats/cid'
import { type CidList, packCids } from '../cids/cid-list.ts'
import type { DagNode } from '../formats/node.ts'
import { UnixfsError } from '../unixfs-error.ts'
import { type BlockSource, loadNode, type ReadOptions } from './block-source.ts'

/** A range of bytes of a file, from 0. */
export type ByteRange = {
  /** First byte. Defaults to 0. */
  fromByte?: number
  /** End of the range, exclusive. Defaults to the end of the file. */
  toByte?: number
}

/** A part of a file: a child, and the position of its bytes in the file. */
type Part = { readonly cid: CID; readonly start: number; readonly sizeBytes: number }
/** Parts of a node as bytes: decoded ones take many times their memory. */
export type PartList = { cids: CidList; starts: Float64Array; sizes: Float64Array }
/** The unread parts of a node. A reader keeps them for as long as it takes, one node per level. */
type Level = PartList & { next: number; depth: number }
/** The bytes of a part in its own node, and its children with bytes of the range. */
type OpenPart = { start: number; data: Uint8Array; children: Level | undefined }

/** Maximum levels of the tree of a file; 1,024 links per node reach any size in far fewer. */
const maxLevels = 32
/** A part with more bytes than any block holds has children. */
const maxLeafBytes = 2 * 1024 * 1024
/**
 * A node with children is requested this many leaves before its turn, so that a source that reads ahead does not stop
 * at the last leaf before it.
 */
const leavesAhead = 32

/**
 * Reads a file, or a range of it, and only the blocks that contain it. Yields exactly `toByte - fromByte` bytes, or
 * fails: each block must have the size that its parent claims, so bytes are never shifted or missing silently. Chunks
 * are views of blocks. `statNode` returns the size beforehand.
 * @throws UnixfsError NOT_A_FILE, BAD_RANGE (beyond the file), BAD_BLOCK (a wrong size), TOO_DEEP, and errors of the
 *   source
 */
export async function* readFile(
  source: BlockSource,
  cid: CID,
  options: ByteRange & ReadOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const { fromByte = 0 } = options
  let toByte = 0

  const open = (node: FileNode, start: number, depth: number): OpenPart => {
    const { data } = node
    if (node.kind === 'raw' || node.links.length === 0) return { start, data, children: undefined }
    const children = packParts(childrenInRange(node, start, fromByte, toByte))
    source.prefetch?.(children.cids)
    return { start, data, children: { ...children, next: 0, depth: depth + 1 } }
  }

  const openRoot = async (): Promise<OpenPart> => {
    const root = requireFile(await loadNode(source, cid, options), cid)
    toByte = options.toByte ?? root.fileSizeBytes
    const isRange = Number.isSafeInteger(fromByte) && Number.isSafeInteger(toByte)
    if (!isRange || fromByte < 0 || fromByte > toByte || toByte > root.fileSizeBytes) {
      throw new UnixfsError('BAD_RANGE', `Bytes ${fromByte} to ${toByte} of a file of ${root.fileSizeBytes}`)
    }
    return open(root, 0, 0)
  }

  const load = async ({ cids, starts, sizes, depth }: Level, at: number): Promise<OpenPart> => {
    if (depth > maxLevels) throw new UnixfsError('TOO_DEEP', `A file has more than ${maxLevels} levels`)
    const [part = cid] = cids.slice(at, at + 1)
    const node = requireFile(await loadNode(source, part, options), part)
    if (node.fileSizeBytes !== sizes[at]) {
      const what = `A part of a file has ${node.fileSizeBytes} bytes, not ${sizes[at]}`
      throw new UnixfsError('BAD_BLOCK', what, { cid: `${part}` })
    }
    return open(node, starts[at] ?? 0, depth)
  }

  /** The next part to read is in the last one. */
  const levels: Level[] = []
  /** The next part that has children, once it was requested ahead of its turn. */
  let ahead: { level: Level; at: number; opened: Promise<OpenPart> } | undefined

  const readNext = (): Promise<OpenPart> | undefined => {
    const level = levels.at(-1)
    if (level === undefined) return undefined
    const at = level.next++
    // A level is removed with its last part, not after the parts below it.
    if (level.next >= level.cids.length) levels.pop()
    if (ahead?.level !== level || ahead.at !== at) return load(level, at)
    const { opened } = ahead
    ahead = undefined
    return opened
  }

  /** Loads the next part that has children, once the leaves before it are few. */
  const loadAhead = (): void => {
    let leaves = leavesAhead
    for (let depth = levels.length - 1; depth >= 0 && ahead === undefined; depth--) {
      const level = levels[depth]
      if (level === undefined) return
      for (let at = level.next; at < level.cids.length; at++) {
        if (leaves-- === 0) return
        if ((level.sizes[at] ?? 0) <= maxLeafBytes) continue
        // Before its turn, the source may reuse the memory of its block.
        const opened = load(level, at).then((part) => ({ ...part, data: new Uint8Array(part.data) }))
        // Its turn reports a failure; a reader that stops before does not need it.
        opened.catch(() => undefined)
        ahead = { level, at, opened }
        return
      }
    }
  }

  for (let next: Promise<OpenPart> | undefined = openRoot(); next !== undefined; next = readNext()) {
    const { start, data, children } = await next
    const from = Math.max(fromByte - start, 0)
    const to = Math.min(toByte - start, data.length)
    if (from < to) yield from === 0 && to === data.length ? data : data.subarray(from, to)
    if (children !== undefined && children.cids.length > 0) levels.push(children)
    // A source that announces nothing may have its blocks in one order only.
    if (source.prefetch !== undefined) loadAhead()
  }
}

type FileNode = Extract<DagNode, { kind: 'raw' | 'file' }>

function requireFile(node: DagNode, cid: CID): FileNode {
  if (node.kind === 'raw' || node.kind === 'file') return node
  throw new UnixfsError('NOT_A_FILE', `Expected a file, found a ${node.kind}`, { cid: `${cid}` })
}

/** Returns the children with bytes of the range; those without are never read, so empty ones cost nothing. */
export function childrenInRange(
  node: Extract<DagNode, { kind: 'file' }>,
  start: number,
  fromByte: number,
  toByte: number,
): Part[] {
  const wanted: Part[] = []
  if (fromByte >= toByte) return wanted
  let at = start + node.data.length
  for (const [index, link] of node.links.entries()) {
    const sizeBytes = node.blockSizes[index] ?? 0
    if (sizeBytes > 0 && at < toByte && at + sizeBytes > fromByte) {
      wanted.push({ cid: link.cid, start: at, sizeBytes })
    }
    at += sizeBytes
  }
  return wanted
}

/** Packs parts into a list. */
export function packParts(parts: readonly Part[]): PartList {
  return {
    cids: packCids(parts.map(({ cid }) => cid)),
    starts: Float64Array.from(parts, ({ start }) => start),
    sizes: Float64Array.from(parts, ({ sizeBytes }) => sizeBytes),
  }
}
