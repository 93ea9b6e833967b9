import { type BlockSource, readFile } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { contentTypeByBytes, contentTypeByName, sniffBytes } from '../../content/content-type.ts'
import { type Answer, type ContentRequest, type Gateway, notModified } from '../answer.ts'
import { contentHeaders, type Entity, toGatewayError } from '../open-path.ts'
import { contentPolicy } from '../security-headers.ts'
import { contentDisposition } from './content-disposition.ts'
import { entityTag, isNotModified } from './entity-tags.ts'
import { bytesInMemory, type Readable, serveBytes } from './serve-bytes.ts'

/** A file, and how to present it. */
export type FileToServe = {
  entity: Entity
  /** The name in the path, if any. */
  name: string | undefined
  /** The CID for the entity tag: a folder's, when its index is shown. */
  tagCid: CID
  /** Set when a rule of the site changes it from 200. */
  status?: number
}

/** Answers with a file or a symbolic link's target. Detects the type by name first, then by first bytes. */
export async function serveFile(gateway: Gateway, request: ContentRequest, file: FileToServe): Promise<Answer> {
  const { entity, tagCid } = file
  const content = openFile(gateway.source, entity, request.signal)
  const headers = { ...contentHeaders(request.path, entity), etag: entityTag(tagCid) }
  const typeOfName = entity.node.kind === 'symlink' ? 'inode/symlink' : typeByName(request, file)
  // To detect the type, the file is read.
  if (typeOfName === undefined && isNotModified(request.headers, [headers.etag])) return notModified(headers)
  const contentType =
    typeOfName ?? (await detectType(content, entity.cid, { isRange: request.headers.range !== undefined }))
  const policy = contentPolicy(request.host, contentType)
  const disposition = fileDisposition(request)
  const answer = serveBytes(request, content, {
    ...headers,
    'content-type': contentType,
    ...(disposition === undefined ? {} : { 'content-disposition': disposition }),
    ...(policy === undefined ? {} : { 'content-security-policy': policy }),
  })
  return file.status === undefined || answer.status !== 200 ? answer : { ...answer, status: file.status }
}

/** Returns the type that the name of a file claims. */
export function typeByName(request: ContentRequest, { name }: Pick<FileToServe, 'name'>): string | undefined {
  return contentTypeByName(request.query.get('filename') ?? name ?? '')
}

/**
 * Returns the bytes of a file or the target of a symbolic link. Reading other nodes throws UnixfsError NOT_A_FILE.
 */
export function openFile(
  source: BlockSource,
  { cid, node }: Pick<Entity, 'cid' | 'node'>,
  signal: AbortSignal,
): Readable {
  if (node.kind === 'symlink') return bytesInMemory(new TextEncoder().encode(node.target))
  if (node.kind === 'raw') return bytesInMemory(node.data)
  if (node.kind === 'file' && node.links.length === 0) return bytesInMemory(node.data)
  return {
    sizeBytes: node.kind === 'file' ? node.fileSizeBytes : 0,
    read: ({ start, end }) => readFile(source, cid, { fromByte: start, toByte: end, signal }),
  }
}

/** Detected types by CID: the first bytes of a file never change. */
const sniffed = new Map<string, string>()
const maxSniffBytes = 4096

/**
 * Detects a file's type by its first bytes.
 * @param options `isRange`: a missing block ends the detection, because a range may not need it
 */
export async function detectType(
  content: Readable,
  cid: CID,
  { isRange = false }: { isRange?: boolean } = {},
): Promise<string> {
  const key = cid.toString()
  const known = sniffed.get(key)
  if (known !== undefined) return known
  const end = Math.min(sniffBytes, content.sizeBytes)
  const read = content.read({ start: 0, end })
  const first = read instanceof Uint8Array ? read : await gather(read, end, isRange)
  const type = await contentTypeByBytes(first, first.length === content.sizeBytes)
  if (first.length < end) return type
  if (sniffed.size >= maxSniffBytes) sniffed.delete(sniffed.keys().next().value ?? '')
  sniffed.set(key, type)
  return type
}

async function gather(
  chunks: AsyncIterable<Uint8Array>,
  sizeBytes: number,
  endsAtMissing: boolean,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(sizeBytes)
  let at = 0
  try {
    for await (const chunk of chunks) {
      bytes.set(chunk, at)
      at += chunk.length
    }
  } catch (error) {
    if (!endsAtMissing || toGatewayError(error).code !== 'BLOCK_NOT_FOUND') throw error
  }
  return bytes.subarray(0, at)
}

/**
 * `?filename=` sets the name for saving, `?download=true` requests saving instead of display. Folder pages encode the
 * name of an entry twice, as other gateways do and their conformance tests require, so a name that is a complete
 * canonical percent-encoding is decoded once more.
 */
export function fileDisposition(request: ContentRequest): string | undefined {
  const kind = request.query.get('download') === 'true' ? 'attachment' : 'inline'
  const name = request.query.get('filename')
  if (name === null) return kind === 'attachment' ? kind : undefined
  return contentDisposition(kind, decodeTwice(name))
}

function decodeTwice(name: string): string {
  if (!name.includes('%')) return name
  try {
    const decoded = decodeURIComponent(name)
    return encodeURIComponent(decoded) === name ? decoded : name
  } catch {
    // The name is not an encoding, so it is used unchanged.
    return name
  }
}
