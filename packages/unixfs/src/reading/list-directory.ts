import type { CID } from 'multiformats/cid'
import type { DagLink } from '../formats/dag-pb.ts'
import { packLinks } from '../formats/link-list.ts'
import { type DagNode, slotDigits, slotOf } from '../formats/node.ts'
import { loadHamtSlots } from '../hamt/load-hamt.ts'
import { UnixfsError } from '../unixfs-error.ts'
import { type BlockSource, loadNode, type ReadOptions } from './block-source.ts'

/** One entry of a folder. Names are unchecked: check for `..`, slashes and the like before you build paths. */
export type DirectoryEntry = {
  name: string
  cid: CID
  /** Tsize: bytes of all blocks below, as the folder claims. */
  sizeBytes?: number
}

type HamtNode = Extract<DagNode, { kind: 'hamt' }>
type OpenShard = { shard: HamtNode; slots: number[]; next: number }

/**
 * Lists a folder: in the order of its block, or if sharded in the order of hashes, shard by shard as they are read, so
 * that memory stays small. Verifies that entries of a shard are in the slot of their hash.
 * @throws UnixfsError NOT_A_DIRECTORY, BAD_BLOCK, TOO_DEEP, and errors of the source
 */
export async function* listDirectory(
  source: BlockSource,
  cid: CID,
  options: ReadOptions = {},
): AsyncGenerator<DirectoryEntry, void, undefined> {
  const root = await openFolder(source, cid, options)
  if (!('fanout' in root)) {
    yield* root
    return
  }
  const { slotsOfName } = await loadHamtSlots()
  const { fanout } = root
  const digits = slotDigits(fanout)
  const maxLevels = Math.floor(64 / Math.log2(fanout))
  const open: OpenShard[] = []
  const enter = (shard: HamtNode, slots: number[]): void => {
    open.push({ shard, slots, next: 0 })
    source.prefetch?.(shard.links.filter(({ name }) => name.length === digits).map((link) => link.cid))
  }
  enter(root, [])
  for (let current = open.at(-1); current !== undefined; current = open.at(-1)) {
    const link = current.shard.links[current.next++]
    if (link === undefined) {
      open.pop()
      continue
    }
    const slots = [...current.slots, slotOf(link.name, digits)]
    if (link.name.length === digits) {
      if (open.length === maxLevels) throw new UnixfsError('TOO_DEEP', 'A sharded folder has too many levels')
      const shard = await loadNode(source, link.cid, options)
      if (shard.kind !== 'hamt' || shard.fanout !== fanout || shard.links.length === 0) {
        throw new UnixfsError('BAD_BLOCK', 'A folder shard is empty or of the wrong type', { cid: `${link.cid}` })
      }
      enter(shard, slots)
      continue
    }
    const name = link.name.slice(digits)
    const slotAt = slotsOfName(name, fanout)
    // Without this check a few blocks that link to each other could list names indefinitely.
    if (slots.some((slot, level) => slotAt(level) !== slot)) {
      throw new UnixfsError('BAD_BLOCK', 'A shard entry is not at the position of its hash', { cid: `${cid}` })
    }
    yield { ...link, name }
  }
}

/** A folder with more links is listed from packed ones: its reader may take long. */
const maxDecodedLinks = 1024

/** Returns a shard, or the links of a folder in one block. */
async function openFolder(source: BlockSource, cid: CID, options: ReadOptions): Promise<HamtNode | Iterable<DagLink>> {
  const node = await loadNode(source, cid, options)
  if (node.kind === 'hamt') return node
  if (node.kind === 'directory') return node.links.length > maxDecodedLinks ? packLinks(node.links) : node.links
  throw new UnixfsError('NOT_A_DIRECTORY', `A ${node.kind} is not a folder`, { cid: `${cid}` })
}
