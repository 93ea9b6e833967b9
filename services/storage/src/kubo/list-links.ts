import { CairnError } from '@cairn/protocol'
import {
  type BlockSource,
  type DagNode,
  decodeNode,
  listDirectory,
  type NodeMetadata,
  packLinks,
  type ReadOptions,
} from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { compareBytes } from '../content/compare-bytes.ts'
import { inTurns, sortInTurns, yieldToOthers } from '../resources/yield-to-others.ts'
import { toGoMode, toGoTime } from './go-metadata.ts'

/** An entry as Kubo lists it. */
export type KuboLink = {
  Name: string
  Hash: string
  Size: number
  Type: number
  Target: string
  Mode: number
  ModTime: string
}

const rawCode = 0x55
const dagPbCode = 0x70
/** UnixFS type numbers in the response. */
const types = { raw: 2, file: 2, directory: 1, hamt: 1, symlink: 4, other: 0 } as const satisfies Record<
  DagNode['kind'],
  number
>

/** Mode and time of an entry that has none, or that is not read. */
const withoutMetadata = { Mode: 0, ModTime: toGoTime({}) }

/** What is listed: a folder by its CID, and the links of any other node. */
export type Listed = { cid: CID; links: ReturnType<typeof packLinks> | undefined }

/** Returns what is listed of a node. Does not keep the node, whose links take tens of MiB: a client may read slowly. */
export function toListed(cid: CID, { kind, links }: DagNode): Listed {
  return { cid, links: kind === 'directory' || kind === 'hamt' ? undefined : packLinks(links) }
}

/** Lists the entries of a folder, or the links of any other node. Links of files have no names. */
export async function* listLinks(
  source: BlockSource,
  { cid, links }: Listed,
  options: ReadOptions & { readsEntries: boolean },
): AsyncGenerator<KuboLink, void, undefined> {
  for await (const link of inTurns(links ?? listDirectory(source, cid, options), options.signal)) {
    yield { Name: link.name, Hash: link.cid.toString(), ...(await describeLink(source, link, options)) }
  }
}

/** Maximum number of entries in an answer that is a single line. */
const maxListedEntries = 65_536
/**
 * Maximum length of their names and targets together, in characters. Each may be as long as a block, and many entries can link to
 * one block with a long target.
 */
const maxListedCharacters = 32 * 1024 * 1024

/** What an answer that is a single line may still have. */
export type ListingSpace = { entries: number; characters: number }

export const newListing = (): ListingSpace => ({ entries: maxListedEntries, characters: maxListedCharacters })

/**
 * Collects the entries of a folder in the order of their names, for an answer that is a single line.
 * @param space of the whole answer, which the entries use up
 * @throws CairnError NOT_SUPPORTED
 */
export async function collectLinks(
  found: AsyncIterable<KuboLink>,
  signal?: AbortSignal,
  space: ListingSpace = newListing(),
): Promise<KuboLink[]> {
  const links: KuboLink[] = []
  for await (const link of found) {
    space.entries--
    space.characters -= link.Name.length + link.Target.length
    if (space.entries < 0 || space.characters < 0) {
      throw new CairnError('NOT_SUPPORTED', {
        message:
          space.entries < 0
            ? `The answer has more than ${maxListedEntries} entries. List them with stream=true`
            : `The names and targets of the answer have more than ${maxListedCharacters} characters. List them with stream=true`,
      })
    }
    links.push(link)
  }
  return sortInTurns(links, (a, b) => compareBytes(a.Name, b.Name), signal)
}

/** Links per piece of a line: a millisecond of work. */
const linksPerPiece = 500

/** Writes an answer that is a single line in pieces, because other work would wait while it is written as a whole. */
export async function* writeListing(
  objects: readonly { Hash: string; Links: readonly KuboLink[] }[],
  signal?: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  yield '{"Objects":['
  for (const [number, { Hash, Links }] of objects.entries()) {
    yield `${number === 0 ? '' : ','}{"Hash":${JSON.stringify(Hash)},"Links":[`
    for (let at = 0; at < Links.length; at += linksPerPiece) {
      const piece = JSON.stringify(Links.slice(at, at + linksPerPiece)).slice(1, -1)
      yield at === 0 ? piece : `,${piece}`
      await yieldToOthers(signal)
    }
    yield ']}'
  }
  yield ']}\n'
}

async function describeLink(
  source: BlockSource,
  { cid, sizeBytes = 0 }: { cid: CID; sizeBytes?: number },
  { readsEntries, signal }: ReadOptions & { readsEntries: boolean },
): Promise<Omit<KuboLink, 'Name' | 'Hash'>> {
  if (cid.code === rawCode) return { Size: sizeBytes, Type: types.raw, Target: '', ...withoutMetadata }
  if (cid.code !== dagPbCode || !readsEntries) return { Size: 0, Type: 0, Target: '', ...withoutMetadata }
  const node = decodeNode(cid, await source.get(cid, { signal }))
  const Type = types[node.kind]
  const metadata = 'mode' in node || 'mtime' in node ? toMetadata(node) : withoutMetadata
  if (node.kind === 'symlink') return { Size: Buffer.byteLength(node.target), Type, Target: node.target, ...metadata }
  return { Size: 'fileSizeBytes' in node ? node.fileSizeBytes : 0, Type, Target: '', ...metadata }
}

function toMetadata(node: NodeMetadata & Pick<DagNode, 'kind'>): Pick<KuboLink, 'Mode' | 'ModTime'> {
  return { Mode: toGoMode(node.kind, node), ModTime: toGoTime(node) }
}
