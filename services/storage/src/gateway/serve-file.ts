import { type BlockSource, readFile } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import type { Answer, ContentRequest, Gateway } from './answer.ts'
import { contentDisposition } from './content-disposition.ts'
import { contentTypeByBytes, contentTypeByName, sniffBytes } from './content-type.ts'
import { entityTag } from './entity-tags.ts'
import { contentHeaders, type Entity, toGatewayError } from './open-path.ts'
import { contentPolicy } from './security-headers.ts'
import { bytesInMemory, type Readable, serveBytes } from './serve-bytes.ts'

/** A file, and how it is to be presented. */
export type FileToServe = {
  entity: Entity
  /** The name in the path, where there is one. */
  name: string | undefined
  /** The CID that names the answer: a folder's, where its index is shown. */
  tagCid: CID
  /** Other than 200 where a rule of the site says so. */
  status?: number
}

/** Answers with a file, or a symbolic link's target: type by name first, then by first bytes. */
export async function serveFile(gateway: Gateway, request: ContentRequest, file: FileToServe): Promise<Answer> {
  const { entity, tagCid } = file
  const content = openFile(gateway.source, entity, request.signal)
  const contentType =
    entity.node.kind === 'symlink'
      ? 'inode/symlink'
      : (contentTypeByName(request.query.get('filename') ?? file.name ?? '') ??
        (await sniff(content, entity.cid, request.headers.range !== undefined)))
  const policy = contentPolicy(request.host, contentType)
  const disposition = fileDisposition(request)
  const answer = serveBytes(request, content, {
    ...contentHeaders(request.path, entity),
    etag: entityTag(tagCid),
    'content-type': contentType,
    ...(disposition === undefined ? {} : { 'content-disposition': disposition }),
    ...(policy === undefined ? {} : { 'content-security-policy': policy }),
  })
  return file.status === undefined || answer.status !== 200 ? answer : { ...answer, status: file.status }
}

/** The bytes of a file or the target of a symbolic link. @throws UnixfsError NOT_A_FILE when read, for other nodes */
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

/** Types of files without a telling name, by CID: the first bytes of one file never change. */
const sniffed = new Map<string, string>()
const sniffedMost = 4096

/** @param isRange whether a missing block ends the look at the first bytes: a range need not touch it */
async function sniff(content: Readable, cid: CID, isRange: boolean): Promise<string> {
  const key = cid.toString()
  const known = sniffed.get(key)
  if (known !== undefined) return known
  const end = Math.min(sniffBytes, content.sizeBytes)
  const read = content.read({ start: 0, end })
  const first = read instanceof Uint8Array ? read : await gather(read, end, isRange)
  const type = await contentTypeByBytes(first, first.length === content.sizeBytes)
  if (first.length < end) return type
  if (sniffed.size >= sniffedMost) sniffed.delete(sniffed.keys().next().value ?? '')
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
 * `?filename=` names the file for saving, `?download=true` asks to save rather than show. Folder pages write the name of
 * an entry encoded twice, as other gateways do and their conformance tests ask: a name that is one whole canonical
 * percent-encoding is therefore decoded once more.
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
    // Not an encoding at all, so the name is meant as it stands.
    return name
  }
}
