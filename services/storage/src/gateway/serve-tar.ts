import { CairnError } from '@cairn/protocol'
import { type BlockSource, type DagNode, decodeNode, listDirectory, readFile } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { identityCode } from '../content/parse-cid.ts'
import { type Answer, type ContentRequest, type Gateway, notModified } from './answer.ts'
import { contentDisposition } from './content-disposition.ts'
import { isNotModified } from './entity-tags.ts'
import { contentHeaders, type Entity } from './open-path.ts'
import { mediaTypes } from './response-format.ts'
import { encodeTarHeader, tarEnd, tarPadding } from './tar-header.ts'

/** Maximum depth of folders in one archive. */
const maxDepth = 128
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
  return { status: 200, headers, body: () => writeTar(gateway.source, entity, cid.toString(), request.signal) }
}

/** Writes a file or folder as a tar archive. @param name of the first entry */
export async function* writeTar(
  source: BlockSource,
  { cid, node }: Pick<Entity, 'cid' | 'node'>,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  yield* joinSmall(writeEntries(source, cid, node, name, signal))
}

async function* writeEntries(
  source: BlockSource,
  cid: CID,
  node: DagNode,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  yield* writeEntry(source, cid, node, name, 0, signal)
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

async function* writeEntry(
  source: BlockSource,
  cid: CID,
  node: DagNode,
  path: string,
  depth: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const metadata = {
    mode: 'mode' in node ? node.mode : undefined,
    modifiedAtSeconds: 'mtime' in node ? node.mtime?.seconds : undefined,
  }
  if (node.kind === 'raw' || node.kind === 'file') {
    yield encodeTarHeader({ path, kind: 'file', sizeBytes: node.fileSizeBytes, ...metadata })
    if (node.kind === 'raw') yield node.data
    else yield* readFile(source, cid, { signal })
    yield tarPadding(node.fileSizeBytes)
  } else if (node.kind === 'symlink') {
    yield encodeTarHeader({ path, kind: 'symlink', sizeBytes: 0, target: node.target, ...metadata })
  } else if (node.kind === 'directory' || node.kind === 'hamt') {
    if (depth >= maxDepth) throw new CairnError('DAG_TOO_DEEP')
    // Names are checked before any byte of the folder is sent, so that an invalid one is an error answer, not a
    // truncated archive.
    if (node.kind === 'directory') for (const link of node.links) joinInside(path, link.name)
    yield encodeTarHeader({ path, kind: 'directory', sizeBytes: 0, ...metadata })
    for await (const entries of inBatches(listDirectory(source, cid, { signal }), entriesAtOnce)) {
      source.prefetch?.(entries.map((entry) => entry.cid))
      for (const entry of entries) {
        const child = decodeNode(entry.cid, await readBlock(source, entry.cid, signal))
        yield* writeEntry(source, entry.cid, child, joinInside(path, entry.name), depth + 1, signal)
      }
    }
  } else throw new CairnError('NOT_ACCEPTABLE', { message: 'A TAR can contain only files and folders' })
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
