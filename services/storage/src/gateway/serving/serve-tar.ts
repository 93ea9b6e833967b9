import { CairnError } from '@cairn/protocol'
import { type BlockSource, decodeNode, listDirectory, readFile } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { identityCode } from '../../content/parse-cid.ts'
import { type Answer, type ContentRequest, type Gateway, notModified } from '../answer.ts'
import { contentHeaders, type Entity } from '../open-path.ts'
import { mediaTypes } from '../requests/response-format.ts'
import { contentDisposition } from './content-disposition.ts'
import { isNotModified } from './entity-tags.ts'
import { encodeTarHeader, tarEnd, tarPadding } from './tar-header.ts'

/** Maximum depth of folders in one archive. */
const maxDepth = 128
/** Maximum number of links of the folders on the way to an entry, which are in memory together. */
const defaultMaxOpenLinks = 500_000
/** Entries of a folder that are announced to the source together, so that small files are read in runs. */
const entriesAtOnce = 256
/** Headers and small files are joined into pieces of this size: each piece costs a write to the socket. */
const pieceBytes = 64 * 1024

/**
 * Answers with a file or folder as a tar archive whose first entry is named by the CID.
 * @see https://specs.ipfs.tech/ipips/ipip-0288/
 * @throws CairnError NOT_ACCEPTABLE for content that is not UnixFS
 */
export function serveTar(gateway: Gateway, request: ContentRequest, entity: Entity): Answer {
  const { cid, node } = entity
  if (node.kind === 'other')
    throw new CairnError('NOT_ACCEPTABLE', { message: 'A TAR can contain only files and folders' })
  const headers = {
    ...contentHeaders(request.path, entity),
    etag: `W/"${cid}.x-tar"`,
    'content-type': mediaTypes.tar,
    'content-disposition': contentDisposition('attachment', request.query.get('filename') ?? `${cid}.tar`),
    'accept-ranges': 'none',
  }
  if (isNotModified(request.headers, [headers.etag])) return notModified(headers)
  if (request.method === 'HEAD') return { status: 200, headers }
  const name = cid.toString()
  const first = toTarItem({ cid, node }, name)
  return { status: 200, headers, body: () => writeTar({ source: gateway.source, signal: request.signal }, first) }
}

/**
 * An entry of an archive: what its header needs, and its place. It has no decoded links, because a client may read slowly, and those of
 * all folders on the way down are there at once.
 */
export type TarItem = {
  cid: CID
  path: string
  header: Uint8Array
  /** Bytes of a file, if it is one block. */
  data?: Uint8Array
  /** Size of a file in several blocks. */
  sizeBytes?: number
  /** Number of links of a folder. */
  linkCount?: number
}

/**
 * Returns an entry of an archive. Checks the names in a folder before any byte of it is sent, so that an invalid one is an error
 * answer, not a truncated archive.
 * @throws CairnError NOT_ACCEPTABLE, INVALID_PATH
 */
export function toTarItem({ cid, node }: Pick<Entity, 'cid' | 'node'>, path: string): TarItem {
  const metadata = {
    path,
    mode: 'mode' in node ? node.mode : undefined,
    modifiedAtSeconds: 'mtime' in node ? node.mtime?.seconds : undefined,
  }
  switch (node.kind) {
    case 'raw':
    case 'file': {
      const header = encodeTarHeader({ kind: 'file', sizeBytes: node.fileSizeBytes, ...metadata })
      const body = node.kind === 'raw' ? { data: node.data } : { sizeBytes: node.fileSizeBytes }
      return { cid, path, header, ...body }
    }
    case 'symlink':
      return { cid, path, header: encodeTarHeader({ kind: 'symlink', sizeBytes: 0, target: node.target, ...metadata }) }
    case 'directory':
    case 'hamt':
      if (node.kind === 'directory') for (const link of node.links) joinInside(path, link.name)
      return {
        cid,
        path,
        header: encodeTarHeader({ kind: 'directory', sizeBytes: 0, ...metadata }),
        linkCount: node.links.length,
      }
    default:
      throw new CairnError('NOT_ACCEPTABLE', { message: 'A TAR can contain only files and folders' })
  }
}

type Reading = { source: BlockSource; signal: AbortSignal; maxOpenLinks?: number }

/**
 * Writes a file or folder as a tar archive, from its first entry.
 * @throws CairnError DAG_TOO_DEEP
 */
export async function* writeTar(reading: Reading, first: TarItem): AsyncGenerator<Uint8Array> {
  yield* joinSmall(writeEntries(reading, first))
}

async function* writeEntries(reading: Reading, first: TarItem): AsyncGenerator<Uint8Array> {
  yield* writeEntry(reading, first, { depth: 0, links: 0 })
  yield tarEnd
}

/** Joins small pieces, by copying them; passes large ones on. */
async function* joinSmall(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let joined = new Uint8Array(pieceBytes)
  let length = 0
  for await (const piece of pieces) {
    if (length + piece.length > pieceBytes && length > 0) {
      yield joined.subarray(0, length)
      // The socket may still hold the last piece.
      joined = new Uint8Array(pieceBytes)
      length = 0
    }
    if (piece.length > pieceBytes) yield piece
    else {
      joined.set(piece, length)
      length += piece.length
    }
  }
  if (length > 0) yield joined.subarray(0, length)
}

/** @param above the folders on the way down, and their links together */
async function* writeEntry(
  reading: Reading,
  { cid, path, header, data, sizeBytes, linkCount }: TarItem,
  above: { depth: number; links: number },
): AsyncGenerator<Uint8Array> {
  const { source, signal, maxOpenLinks = defaultMaxOpenLinks } = reading
  const links = above.links + (linkCount ?? 0)
  if (linkCount !== undefined && (above.depth >= maxDepth || links > maxOpenLinks)) throw new CairnError('DAG_TOO_DEEP')
  yield header
  if (data !== undefined) {
    yield data
    yield tarPadding(data.length)
  } else if (sizeBytes !== undefined) {
    yield* readFile(source, cid, { signal })
    yield tarPadding(sizeBytes)
  } else if (linkCount !== undefined) {
    for await (const entries of inBatches(listDirectory(source, cid, { signal }), entriesAtOnce)) {
      source.prefetch?.(entries.map((entry) => entry.cid))
      for (const { cid: child, name } of entries) {
        const entry = await readEntry(reading, child, joinInside(path, name))
        yield* writeEntry(reading, entry, { depth: above.depth + 1, links })
      }
    }
  }
}

/** The decoded node does not outlive it. */
async function readEntry({ source, signal }: Reading, cid: CID, path: string): Promise<TarItem> {
  return toTarItem({ cid, node: decodeNode(cid, await readBlock(source, cid, signal)) }, path)
}

async function* inBatches<T>(items: AsyncIterable<T>, count: number): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const item of items) {
    if (batch.push(item) < count) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Returns the path of an entry, which must stay inside the archive's root regardless of its name. */
function joinInside(path: string, name: string): string {
  const root = path.split('/', 1)
  const parts = path.split('/')
  for (const part of name.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') parts.pop()
    else parts.push(part)
  }
  // A backslash is an ordinary character in names, but some programs split paths at it.
  const climbs = name.split(/[\\/]/).includes('..') && name.includes('\\')
  if (parts.length <= root.length || parts[0] !== root[0] || name.includes('\0') || climbs) {
    throw new CairnError('INVALID_PATH', {
      // The conformance tests of gateways expect this exact sentence, including "now" for "not".
      message: 'relative UnixFS paths outside the root are now allowed',
      hint: 'A name in this folder points outside of it. Download the folder as a CAR instead.',
    })
  }
  return parts.join('/')
}

async function readBlock(source: BlockSource, cid: CID, signal: AbortSignal): Promise<Uint8Array> {
  return cid.multihash.code === identityCode ? cid.multihash.digest : source.get(cid, { signal })
}
