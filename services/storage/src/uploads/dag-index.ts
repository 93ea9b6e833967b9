import { type DagNode, decodeNode, UnixfsError } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'

/** Maximum number of distinct blocks of an imported DAG. */
const maxBlocks = 1_048_576
/** Maximum number of links of all blocks together. */
const maxLinks = 8_388_608
/** Maximum depth of a DAG. */
const maxLevels = 1024
/**
 * Maximum number of visits when the DAG is walked as a tree, shared parts counted each time: 1 TiB in chunks of 256
 * KiB.
 */
const maxVisits = 4_194_304

/** Measures of a root, with each block counted as often as it is linked. */
export type DagMeasure = {
  /** Bytes of its files; for linked data that is not UnixFS, bytes of its blocks. */
  contentBytes: number
  /** Bytes of all its blocks. */
  dagSizeBytes: number
  kind: DagNode['kind']
}

type Node = Pick<DagNode, 'kind'> & {
  lengthBytes: number
  links: Uint32Array
  blockSizes: readonly number[]
  fileSizeBytes: number
}

/** The shape of a DAG, collected block by block in any order. Stores links only, no content. */
export type DagIndex = {
  /**
   * Adds a verified block; returns false when it was added before. @throws UnixfsError BAD_BLOCK, UNSUPPORTED,
   * TOO_LARGE
   */
  add(cid: CID, bytes: Uint8Array): boolean
  /** Adds a raw block without its bytes. */
  addLeaf(cid: CID, lengthBytes: number): void
  /** Blocks below the roots that were not added, each once. Adding them can reveal more. */
  missing(roots: readonly CID[]): Generator<CID, void, undefined>
  /**
   * Measures a root that has no missing blocks. @throws UnixfsError BAD_BLOCK (declared sizes do not match),
   * TOO_DEEP, TOO_LARGE
   */
  measure(root: CID): DagMeasure
  /** Bytes of added blocks that `missing` did not reach: no root needs them. */
  unreachedBytes(): number
}

/** Memory per block, and per link to it. */
const blockMemoryBytes = 640
const linkMemoryBytes = 16

/** Creates an empty index. @param acquireMemory called before memory is allocated; may throw */
export function createDagIndex(acquireMemory: (bytes: number) => void): DagIndex {
  const ids = new Map<string, number>()
  const nodes: (Node | undefined)[] = []
  const reached: boolean[] = []
  const measures: (Measured | undefined)[] = []
  let linkCount = 0

  const idOf = (cid: CID): number => {
    const key = keyOf(cid)
    const known = ids.get(key)
    if (known !== undefined) return known
    const id = ids.size
    acquireMemory(blockMemoryBytes)
    if (id >= maxBlocks) throw new UnixfsError('TOO_LARGE', `The DAG has more than ${maxBlocks} blocks`)
    ids.set(key, id)
    return id
  }

  /** CIDs of blocks that are linked but not added yet. */
  const awaited = new Map<number, CID>()

  const note = (id: number, node: Node): void => {
    nodes[id] = node
    awaited.delete(id)
  }

  const measureNode = (node: Node, cid: () => string): Measured => {
    const measured: Measured = { levels: 1, visits: 1, contentBytes: 0, dagSizeBytes: node.lengthBytes }
    const isFile = node.kind === 'file' || node.kind === 'raw'
    for (const [index, link] of node.links.entries()) {
      const child = measures[link]
      const childNode = nodes[link]
      if (child === undefined || childNode === undefined) throw new UnixfsError('CYCLE', 'A block is its own ancestor')
      if (node.kind === 'file') checkPart(childNode, node.blockSizes[index], cid)
      measured.levels = Math.max(measured.levels, child.levels + 1)
      measured.visits += child.visits
      measured.contentBytes += child.contentBytes
      measured.dagSizeBytes += child.dagSizeBytes
    }
    if (measured.levels > maxLevels) throw new UnixfsError('TOO_DEEP', `The DAG has more than ${maxLevels} levels`)
    if (measured.visits > maxVisits)
      throw new UnixfsError('TOO_LARGE', `The DAG has more than ${maxVisits} blocks to walk`)
    if (isFile) measured.contentBytes = node.fileSizeBytes
    else if (node.kind === 'other') measured.contentBytes += node.lengthBytes
    return measured
  }

  return {
    add(cid, bytes) {
      const id = idOf(cid)
      if (nodes[id] !== undefined) return false
      const node = decodeNode(cid, bytes)
      linkCount += node.links.length
      acquireMemory(linkMemoryBytes * node.links.length)
      if (linkCount > maxLinks) throw new UnixfsError('TOO_LARGE', `The DAG has more than ${maxLinks} links`)
      const links = new Uint32Array(node.links.length)
      for (const [index, link] of node.links.entries()) {
        const child = idOf(link.cid)
        links[index] = child
        if (nodes[child] === undefined) awaited.set(child, link.cid)
      }
      note(id, {
        kind: node.kind,
        lengthBytes: bytes.length,
        links,
        blockSizes: node.kind === 'file' ? node.blockSizes : [],
        fileSizeBytes: 'fileSizeBytes' in node ? node.fileSizeBytes : 0,
      })
      return true
    },
    addLeaf(cid, lengthBytes) {
      note(idOf(cid), {
        kind: 'raw',
        lengthBytes,
        links: new Uint32Array(0),
        blockSizes: [],
        fileSizeBytes: lengthBytes,
      })
    },
    *missing(roots) {
      const waiting: number[] = []
      const reach = (id: number): void => {
        if (reached[id]) return
        reached[id] = true
        waiting.push(id)
      }
      for (const root of roots) {
        const id = idOf(root)
        if (nodes[id] === undefined) awaited.set(id, root)
        reach(id)
      }
      for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
        const cid = awaited.get(id)
        if (cid !== undefined) yield cid
        for (const link of nodes[id]?.links ?? []) reach(link)
      }
    },
    measure(root) {
      const first = idOf(root)
      /** Ids whose children come first, with the number of children already visited. */
      const path: { id: number; next: number }[] = [{ id: first, next: 0 }]
      for (let step = path.at(-1); step !== undefined; step = path.at(-1)) {
        const node = nodes[step.id]
        if (node === undefined) throw new UnixfsError('MISSING_BLOCK', 'A block is missing', { cid: `${root}` })
        const child = node.links[step.next++]
        if (child === undefined) {
          measures[step.id] = measureNode(node, () => `${root}`)
          path.pop()
        } else if (measures[child] === undefined) {
          if (path.length >= maxLevels) throw new UnixfsError('TOO_DEEP', `The DAG has more than ${maxLevels} levels`)
          path.push({ id: child, next: 0 })
        }
      }
      const measured = measures[first]
      const node = nodes[first]
      if (measured === undefined || node === undefined) throw new UnixfsError('MISSING_BLOCK', 'A root is missing')
      return { contentBytes: measured.contentBytes, dagSizeBytes: measured.dagSizeBytes, kind: node.kind }
    },
    unreachedBytes() {
      let bytes = 0
      for (const [id, node] of nodes.entries()) if (node !== undefined && !reached[id]) bytes += node.lengthBytes
      return bytes
    },
  }
}

type Measured = { levels: number; visits: number; contentBytes: number; dagSizeBytes: number }

/** A part of a file must have the size that its parent declares, or every later range read would be shifted. */
function checkPart(child: Node, declaredBytes: number | undefined, cid: () => string): void {
  if (child.kind !== 'file' && child.kind !== 'raw') {
    throw new UnixfsError('BAD_BLOCK', `A part of a file is a ${child.kind}`, { cid: cid() })
  }
  if (child.fileSizeBytes !== declaredBytes) {
    const what = `A part of a file has ${child.fileSizeBytes} bytes, its parent states ${declaredBytes}`
    throw new UnixfsError('BAD_BLOCK', what, { cid: cid() })
  }
}

/** Returns equal keys for the same bytes read by the same codec, regardless of CID version and base. */
function keyOf({ code, multihash }: CID): string {
  return `${code} ${Buffer.from(multihash.bytes).toString('latin1')}`
}
