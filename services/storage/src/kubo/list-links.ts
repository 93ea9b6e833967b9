import { type DagNode, decodeNode, listDirectory, type ReadOptions } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import type { PackStore } from '../packs/packs.ts'
import type { KuboEntity } from './kubo-path.ts'

/** An entry as Kubo lists it. */
export type KuboLink = { Name: string; Hash: string; Size: number; Type: number; Target: string }

const rawCode = 0x55
const dagPbCode = 0x70
/** UnixFS type numbers in the response. */
const types = { raw: 2, file: 2, directory: 1, hamt: 1, symlink: 4, other: 0 } as const satisfies Record<
  DagNode['kind'],
  number
>

/** Lists the entries of a folder, or the links of any other node. Links of files have no names. */
export async function* listLinks(
  packs: PackStore,
  { cid, node }: KuboEntity,
  options: ReadOptions & { readsEntries: boolean },
): AsyncGenerator<KuboLink, void, undefined> {
  const isFolder = node.kind === 'directory' || node.kind === 'hamt'
  for await (const link of isFolder ? listDirectory(packs, cid, options) : node.links) {
    yield { Name: link.name, Hash: link.cid.toString(), ...(await describeLink(packs, link, options)) }
  }
}

async function describeLink(
  packs: PackStore,
  { cid, sizeBytes = 0 }: { cid: CID; sizeBytes?: number },
  { readsEntries, signal }: ReadOptions & { readsEntries: boolean },
): Promise<Pick<KuboLink, 'Size' | 'Type' | 'Target'>> {
  if (cid.code === rawCode) return { Size: sizeBytes, Type: types.raw, Target: '' }
  if (cid.code !== dagPbCode || !readsEntries) return { Size: 0, Type: 0, Target: '' }
  const node = decodeNode(cid, await packs.get(cid, { signal }))
  const Type = types[node.kind]
  if (node.kind === 'symlink') return { Size: Buffer.byteLength(node.target), Type, Target: node.target }
  return { Size: 'fileSizeBytes' in node ? node.fileSizeBytes : 0, Type, Target: '' }
}
