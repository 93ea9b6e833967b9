import type { Registers } from '../log/registers.ts'
import { fields, type Node, newestFirst } from './nodes.ts'

/**
 * Removes files that are versions of another one, unless a device gave them a name or a place of their own in the meantime. Their
 * versions pass to the other file, so that none is lost, even if files are versions of each other.
 * @param nodes every file that is a version of another of them, and that other
 * @returns all CIDs that are versions of a file that remains
 */
export function absorbVersions({ entries }: Registers, nodes: Map<string, Node>): ReadonlySet<string> {
  const claimed = new Set<string>()
  const claiming: string[] = []
  for (const { id, versions = [] } of nodes.values()) if (versions.some(({ cid }) => cid !== id)) claiming.push(id)
  for (const id of claiming.sort()) {
    const node = nodes.get(id)
    if (node === undefined) continue
    const versions = [...(node.versions ?? [])]
    // The list grows while it is read.
    for (const { cid } of versions) {
      claimed.add(cid)
      const own = entries.get(cid)?.fields
      const other = nodes.get(cid)?.versions
      if (cid === id || other === undefined || own?.has(fields.name) || own?.has(fields.parent)) continue
      nodes.delete(cid)
      versions.push(...other.filter((one) => !versions.some((known) => known.cid === one.cid)))
    }
    nodes.set(id, { ...node, versions: versions.sort(newestFirst) })
  }
  return claimed
}
