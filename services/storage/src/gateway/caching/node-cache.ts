import { isUpcoming } from '@cairn/service'
import type { BlockSource, DagNode, NodeCache } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'

/** Lifetime of a decoded node: as with small answers, deleted content is gone after a second. */
const lifetimeMs = 1000
/** Maximum number of links of all cached nodes; each takes about 500 bytes. */
const maxLinks = 100_000

/** Caches decoded folders and file trees in use: decoding a folder of 2,000 names takes 10 ms. */
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
      if (isUpcoming(entry.until, now(), lifetimeMs)) return entry.node
      drop(key)
      return undefined
    },
    set(cid, node) {
      // Nodes without links decode quickly; nodes with file bytes would retain the whole read they came from.
      if (node.links.length === 0 || node.links.length > maxLinks / 4) return
      if (node.kind === 'file' && node.data.length > 0) return
      const key = keyOf(cid)
      const time = now()
      drop(key)
      for (const [oldest, { until }] of kept) {
        if (isUpcoming(until, time, lifetimeMs) && links + node.links.length <= maxLinks) break
        drop(oldest)
      }
      kept.set(key, { node, until: time + lifetimeMs })
      links += node.links.length
    },
  }
}

/** Returns a source that shares decoded nodes with others. */
export function withNodes(source: BlockSource, nodes: NodeCache): BlockSource {
  const { prefetch } = source
  return {
    get: (cid, options) => source.get(cid, options),
    ...(prefetch === undefined
      ? {}
      : { prefetch: (cids: Parameters<typeof prefetch>[0]) => prefetch.call(source, cids) }),
    nodes,
  }
}

function keyOf({ bytes }: CID): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
}
