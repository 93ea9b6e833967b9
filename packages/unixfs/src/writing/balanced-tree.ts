import { CID } from 'multiformats/cid'
import { type HashFunction, whenReady } from '../cids/hash-function.ts'
import { createSha256Cid, dagPbCode } from '../cids/sha256-cid.ts'
import { encodeDagPb, type LinkToEncode } from '../formats/dag-pb.ts'
import { encodeFileData } from '../formats/unixfs-data.ts'
import type { BlockSink } from './block-sink.ts'
import type { ImportProfile } from './profiles.ts'

/** A subtree of a file. `dagSizeBytes` counts the bytes of all its blocks. */
export type FileSubtree = { cid: CID; fileSizeBytes: number; dagSizeBytes: number }

/** Builds the tree of one file from its leaves, in order. */
export type BalancedTree = {
  /** Adds the next leaf; writes a node for each level that is full. */
  add(leaf: FileSubtree): void | Promise<void>
  /** Closes all levels. At least one leaf must have been added. */
  finish(): FileSubtree | Promise<FileSubtree>
  /** The subtrees that no written node links to yet, by level from the leaves. A tree created from them continues. */
  levels(): FileSubtree[][]
}

type Level = { links: LinkToEncode[]; blockSizes: number[]; only: FileSubtree | undefined }

const noName = new Uint8Array(0)

/**
 * Builds the balanced layout of Kubo from the left: every leaf at the same depth, each node full except the last of its
 * level. Memory: at most `maxLinks` links per level.
 *
 * @param from levels of an interrupted tree with the same profile. Defaults to none.
 */
export function createBalancedTree(
  profile: ImportProfile,
  hash: HashFunction,
  sink: BlockSink,
  from: readonly (readonly FileSubtree[])[] = [],
): BalancedTree {
  const levels: Level[] = from.map(toLevel)

  const addTo = (height: number, node: FileSubtree): void | Promise<void> => {
    let level = levels[height]
    if (level === undefined) levels[height] = level = { links: [], blockSizes: [], only: undefined }
    level.only = level.links.length === 0 ? node : undefined
    level.links.push({ cid: node.cid.bytes, name: noName, sizeBytes: node.dagSizeBytes })
    level.blockSizes.push(node.fileSizeBytes)
    if (level.links.length === profile.maxLinks) {
      return whenReady(writeNode(level), (parent) => addTo(height + 1, parent))
    }
  }

  const writeNode = (level: Level): FileSubtree | Promise<FileSubtree> => {
    const { links, blockSizes } = level
    level.links = []
    level.blockSizes = []
    level.only = undefined
    let fileSizeBytes = 0
    let dagSizeBytes = 0
    for (const size of blockSizes) fileSizeBytes += size
    for (const link of links) dagSizeBytes += link.sizeBytes
    const bytes = encodeDagPb(links, encodeFileData(fileSizeBytes, blockSizes))
    dagSizeBytes += bytes.length
    return whenReady(hash(bytes), (digest) => {
      const cid = createSha256Cid(profile.cidVersion, dagPbCode, digest)
      return whenReady(sink.put(cid, bytes), () => ({ cid, fileSizeBytes, dagSizeBytes }))
    })
  }

  const closeFrom = (height: number): FileSubtree | Promise<FileSubtree> => {
    const level = levels[height]
    if (level === undefined) throw new TypeError('A file must have at least one leaf')
    const isTop = height === levels.length - 1
    if (isTop && level.only !== undefined) return level.only
    if (level.links.length === 0) return closeFrom(height + 1)
    return whenReady(writeNode(level), (parent) => whenReady(addTo(height + 1, parent), () => closeFrom(height + 1)))
  }

  return {
    add: (leaf) => addTo(0, leaf),
    finish: () => closeFrom(0),
    levels: () =>
      levels.map(({ links, blockSizes }) =>
        links.map(({ cid, sizeBytes }, at) => ({
          cid: CID.decode(cid),
          fileSizeBytes: blockSizes[at] ?? 0,
          dagSizeBytes: sizeBytes,
        })),
      ),
  }
}

function toLevel(nodes: readonly FileSubtree[]): Level {
  const [first] = nodes
  return {
    links: nodes.map(({ cid, dagSizeBytes }) => ({ cid: cid.bytes, name: noName, sizeBytes: dagSizeBytes })),
    blockSizes: nodes.map(({ fileSizeBytes }) => fileSizeBytes),
    only: nodes.length === 1 ? first : undefined,
  }
}
