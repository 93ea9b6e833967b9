import { CairnError } from '@cairn/protocol'
import { type BlockSource, type DagNode, decodeNode, listDirectory, readFile } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { type Answer, type ContentRequest, type Gateway, notModified } from './answer.ts'
import { contentDisposition } from './content-disposition.ts'
import { matchesNoneMatch } from './entity-tags.ts'
import { contentHeaders, type Entity } from './open-path.ts'
import { identityCode } from './parse-cid.ts'
import { mediaTypes } from './response-format.ts'
import { encodeTarHeader, tarEnd, tarPadding } from './tar-header.ts'

/** Folders within folders in one archive. */
const depthMost = 128

/**
 * Answers with a file or folder as a tar archive whose first entry is named by the CID.
 * @see https://specs.ipfs.tech/ipips/ipip-0288/
 * @throws CairnError NOT_ACCEPTABLE for what is not UnixFS
 */
export function serveTar(gateway: Gateway, request: ContentRequest, entity: Entity): Answer {
  const { cid, node } = entity
  if (node.kind === 'other')
    throw new CairnError('NOT_ACCEPTABLE', { message: 'Only files and folders fit into a tar' })
  const headers = {
    ...contentHeaders(request.path, entity),
    etag: `W/"${cid}.x-tar"`,
    'content-type': mediaTypes.tar,
    'content-disposition': contentDisposition('attachment', request.query.get('filename') ?? `${cid}.tar`),
    'accept-ranges': 'none',
  }
  if (matchesNoneMatch(request.headers.ifNoneMatch, [headers.etag])) return notModified(headers)
  if (request.method === 'HEAD') return { status: 200, headers }
  return { status: 200, headers, body: () => writeTar(gateway.source, entity, cid.toString(), request.signal) }
}

/** A file or folder as a tar archive. @param name of the first entry */
export async function* writeTar(
  source: BlockSource,
  { cid, node }: Pick<Entity, 'cid' | 'node'>,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  yield* writeEntry(source, cid, node, name, 0, signal)
  yield tarEnd
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
    if (depth >= depthMost) throw new CairnError('DAG_TOO_DEEP')
    // Names are judged before anything of the folder leaves, so that a bad one is an answer, not a torn archive.
    if (node.kind === 'directory') for (const link of node.links) joinInside(path, link.name)
    yield encodeTarHeader({ path, kind: 'directory', sizeBytes: 0, ...metadata })
    for await (const entry of listDirectory(source, cid, { signal })) {
      const child = decodeNode(entry.cid, await readBlock(source, entry.cid, signal))
      yield* writeEntry(source, entry.cid, child, joinInside(path, entry.name), depth + 1, signal)
    }
  } else throw new CairnError('NOT_ACCEPTABLE', { message: 'Only files and folders fit into a tar' })
}

/** The path of an entry, which must stay inside the archive's root whatever its name says. */
function joinInside(path: string, name: string): string {
  const root = path.split('/', 1)
  const parts = path.split('/')
  for (const part of name.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') parts.pop()
    else parts.push(part)
  }
  // A backslash is a character like any other in names, but some programs part paths by it.
  const climbs = name.split(/[\\/]/).includes('..') && name.includes('\\')
  if (parts.length <= root.length || parts[0] !== root[0] || name.includes('\0') || climbs) {
    throw new CairnError('INVALID_PATH', {
      // The conformance tests of gateways look for this sentence, "now" for "not" and all.
      message: 'relative UnixFS paths outside the root are now allowed',
      hint: 'A name in this folder points outside of it. Fetch it as a CAR instead.',
    })
  }
  return parts.join('/')
}

async function readBlock(source: BlockSource, cid: CID, signal: AbortSignal): Promise<Uint8Array> {
  return cid.multihash.code === identityCode ? cid.multihash.digest : source.get(cid, { signal })
}
