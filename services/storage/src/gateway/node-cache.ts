import type { BlockSource, DagNode, NodeCache } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'

/** How long a decoded node counts: as with small answers, deleted content is gone from here after a second. */
const lifetimeMs = 1000
/** Links of all nodes kept; one weighs some 500 bytes. */
const linksMost = 100_000

/** Keeps the folders and file trees that are being read, decoded: a folder of 2,000 names takes 10 ms to decode. */
export function createNodeCache(now: () => number): NodeCache {
  const kept = new Map<string, { node: DagNode; until: number }>()
  let links = 0

  const drop = (key: string): void => {
    links -= kept.get(key)?.node.links.length ?? 0
    kept.delete(key)
  }

  return {
    get(cid) {
      if (kept.size === 0) return undefined
      const key = keyOf(cid)
      const entry = kept.get(key)
      if (entry === undefined) return undefined
      if (entry.until > now()) return entry.node
      drop(key)
      return undefined
    },
    set(cid, node) {
      // Nodes without links are quickly decoded; those with bytes of a file would keep the whole read they came in.
      if (node.links.length === 0 || node.links.length > linksMost / 4) return
      if (node.kind === 'file' && node.data.length > 0) return
      const key = keyOf(cid)
      const time = now()
      drop(key)
      for (const [oldest, { until }] of kept) {
        if (until > time && links + node.links.length <= linksMost) break
        drop(oldest)
      }
      kept.set(key, { node, until: time + lifetimeMs })
      links += node.links.length
    },
  }
}

/** A source that shares decoded nodes with others. */
export function withNodes(source: BlockSource, nodes: NodeCache): BlockSource {
  const { prefetch } = source
  return {
    get: (cid, options) => source.get(cid, options),
    ...(prefetch === undefined ? {} : { prefetch: (cids: CID[]) => prefetch.call(source, cids) }),
    nodes,
  }
}

function keyOf({ bytes }: CID): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
