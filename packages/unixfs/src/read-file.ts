import type { CID } from 'multiformats/cid'
import { type BlockSource, loadNode, type ReadOptions } from './block-source.ts'
import type { DagNode } from './node.ts'
import { UnixfsError } from './unixfs-error.ts'

/** A range of bytes of a file, from 0. */
export type ByteRange = {
  /** First byte. Defaults to 0. */
  fromByte?: number
  /** End of the range, exclusive. Defaults to the end of the file. */
  toByte?: number
}

/** An unread part of a file: a child and the position of its bytes in the file. */
type Part = {
  readonly cid: CID
  readonly start: number
  readonly sizeBytes: number
  readonly level: number
  /** Set once its node was requested ahead of its turn. */
  opened?: Promise<OpenPart>
}
/** The node of a part, and its children with bytes of the range. */
type OpenPart = { node: FileNode; children: Part[] }

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
  const root = requireFile(await loadNode(source, cid, options), cid)
  const { fromByte = 0, toByte = root.fileSizeBytes } = options
  const isRange = Number.isSafeInteger(fromByte) && Number.isSafeInteger(toByte)
  if (!isRange || fromByte < 0 || fromByte > toByte || toByte > root.fileSizeBytes) {
    throw new UnixfsError('BAD_RANGE', `Bytes ${fromByte} to ${toByte} of a file of ${root.fileSizeBytes}`)
  }
  const open = (node: FileNode, start: number, level: number): OpenPart => {
    if (node.kind === 'raw' || node.links.length === 0) return { node, children: [] }
    const children = childrenInRange(node, start, level + 1, fromByte, toByte)
    source.prefetch?.(children.map((child) => child.cid))
    return { node, children }
  }

  const load = async (part: Part): Promise<OpenPart> => {
    if (part.level > maxLevels) throw new UnixfsError('TOO_DEEP', `A file has more than ${maxLevels} levels`)
    const node = requireFile(await loadNode(source, part.cid, options), part.cid)
    if (node.fileSizeBytes !== part.sizeBytes) {
      const what = `A part of a file has ${node.fileSizeBytes} bytes, not ${part.sizeBytes}`
      throw new UnixfsError('BAD_BLOCK', what, { cid: `${part.cid}` })
    }
    return open(node, part.start, part.level)
  }

  const whole = { cid, start: 0, sizeBytes: root.fileSizeBytes, level: 0 }
  /** The next part to read is last. */
  const parts: Part[] = [{ ...whole, opened: Promise.resolve(open(root, 0, 0)) }]

  /** Loads the next part that has children, once the leaves before it are few. */
  const loadAhead = (): void => {
    for (const part of parts.slice(-leavesAhead).reverse()) {
      if (part.sizeBytes <= maxLeafBytes) continue
      if (part.opened === undefined) {
        // Before its turn, the source may reuse the memory of its block.
        part.opened = load(part).then((loaded) => {
          loaded.node.data = new Uint8Array(loaded.node.data)
          return loaded
        })
        // Its turn reports a failure; a reader that stops before does not need it.
        part.opened.catch(() => undefined)
      }
      return
    }
  }

  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const { node, children } = await (part.opened ?? load(part))
    const from = Math.max(fromByte - part.start, 0)
    const to = Math.min(toByte - part.start, node.data.length)
    if (from < to) yield from === 0 && to === node.data.length ? node.data : node.data.subarray(from, to)
    for (let child = children.pop(); child !== undefined; child = children.pop()) parts.push(child)
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
  level: number,
  fromByte: number,
  toByte: number,
): Part[] {
  const wanted: Part[] = []
  if (fromByte >= toByte) return wanted
  let at = start + node.data.length
  for (const [index, link] of node.links.entries()) {
    const sizeBytes = node.blockSizes[index] ?? 0
    if (sizeBytes > 0 && at < toByte && at + sizeBytes > fromByte) {
      wanted.push({ cid: link.cid, start: at, sizeBytes, level })
    }
    at += sizeBytes
  }
  return wanted
}
