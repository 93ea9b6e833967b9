import { createSha256Cid, dagPbCode } from '../cids/sha256-cid.ts'
import { decodeDagPb } from '../formats/dag-pb.ts'
import type { NodeMetadata } from '../formats/node.ts'
import { encodeMetadata } from '../formats/unixfs-data.ts'
import { varintLength, writeVarint } from '../formats/varint.ts'
import type { BlockSink, ImportedNode } from './block-sink.ts'

/** Adds modes and times to the roots of files, links and folders that importers write into its sink. */
export type Annotator = {
  /** The sink for importers. It keeps the last block back, because that is the root of what was written last. */
  readonly sink: BlockSink
  /**
   * Adds the mode and the time to the node that was written last.
   * @throws TypeError if another block was written since, or if the node is a raw block
   */
  annotate(node: ImportedNode, metadata: NodeMetadata): ImportedNode
  /** Passes the last block on. */
  flush(): void | Promise<void>
}

/**
 * Creates an annotator in front of a sink. Only roots have a mode and a time, as in Kubo; importers and folders that have neither
 * do not need it.
 * @param cidVersion of the profile that the importers use
 * @see https://specs.ipfs.tech/unixfs/#dag-pb-optional-metadata
 */
export function createAnnotator(
  sink: BlockSink,
  cidVersion: 0 | 1,
  hash: (bytes: Uint8Array) => Uint8Array,
): Annotator {
  let held: Parameters<BlockSink['put']> | undefined
  const flush = (): void | Promise<void> => {
    if (held === undefined) return undefined
    const [cid, block] = held
    held = undefined
    return sink.put(cid, block)
  }
  return {
    sink: {
      put(cid, block) {
        const done = flush()
        // A copy, because the importer uses its buffer again. By constructor: a slice of a Node Buffer would be a view.
        held = [cid, new Uint8Array(block)]
        return done
      },
    },
    annotate(node, metadata) {
      const [cid, block] = held ?? []
      if (block === undefined || cid?.equals(node.cid) !== true || cid.code !== dagPbCode) {
        throw new TypeError('Only the dag-pb node that was written last can get a mode and a time')
      }
      const next = appendMetadata(block, encodeMetadata(metadata))
      const nextCid = createSha256Cid(cidVersion, dagPbCode, hash(next))
      held = [nextCid, next]
      return { ...node, cid: nextCid, dagSizeBytes: node.dagSizeBytes + next.length - block.length }
    },
    flush,
  }
}

/** Appends fields to the Data of an encoded node, which is its last field. */
function appendMetadata(block: Uint8Array, fields: Uint8Array): Uint8Array {
  const { data = new Uint8Array(0) } = decodeDagPb(block)
  const dataAt = block.length - data.length
  const linksEnd = dataAt - 1 - varintLength(data.length)
  const length = data.length + fields.length
  const bytes = new Uint8Array(linksEnd + 1 + varintLength(length) + length)
  bytes.set(block.subarray(0, linksEnd + 1))
  const at = writeVarint(bytes, linksEnd + 1, length)
  bytes.set(data, at)
  bytes.set(fields, at + data.length)
  return bytes
}
