import { CairnError } from '@cairn/protocol'
import { describePicture, findPictureQuery, readPictureOptions } from '../../pictures/pictures.ts'
import { type Answer, type ContentRequest, type Gateway, notModified } from '../answer.ts'
import { contentHeaders, type Entity } from '../open-path.ts'
import { entityTag, isNotModified } from './entity-tags.ts'
import { type Readable, serveBytes } from './serve-bytes.ts'
import { detectType, type FileToServe, fileDisposition, openFile, typeByName } from './serve-file.ts'

/** Types of the files that can be resized; the library reads an animated PNG as its first frame. */
const pictureTypes = new Set(['image/jpeg', 'image/png', 'image/apng', 'image/webp', 'image/gif', 'image/avif'])
/** A larger result is sent as a stream, which counts towards the limits of streams. */
const maxWholeBytes = 65_536

/**
 * Answers with a resized picture, if the query has picture parameters. Pages keep their query to themselves, and every
 * file that is known not to be a picture keeps `h` and `w`.
 * @returns undefined if the file is served unchanged
 * @throws CairnError INVALID_REQUEST, NOT_A_PICTURE, PICTURE_TOO_LARGE, PICTURES_UNAVAILABLE, OVERLOADED
 */
export async function servePicture(
  gateway: Gateway,
  request: ContentRequest,
  file: FileToServe,
): Promise<Answer | undefined> {
  const asked = findPictureQuery(request.query)
  const { entity } = file
  if (asked === 'none' || entity.node.kind === 'symlink') return undefined
  const content = openFile(gateway.source, entity, request.signal)
  const ofBytes = await detectType(content, entity.cid)
  const type = typeByName(request, file) ?? ofBytes
  const isPage = type.startsWith('text/html')
  const isOther = !type.startsWith('image/') && type !== 'application/octet-stream'
  if (isPage || (asked === 'short' && isOther)) return undefined
  const options = readPictureOptions(request.query, request.headers.accept)
  if (options === undefined) return undefined
  const version = gateway.pictures.requireVersion()
  if (!pictureTypes.has(ofBytes)) throw notAPicture(ofBytes)
  // A cached result is not read from the blocks, whose denial it must respect.
  for (const { cid } of entity.node.links) gateway.denylist.requireContent(cid)
  const disposition = fileDisposition(request)
  const headers = {
    ...contentHeaders(request.path, entity),
    etag: entityTag(entity.cid, `${describePicture(options)}.${version}`),
    ...(options.format === 'auto' ? { vary: 'Accept' } : {}),
    ...(disposition === undefined ? {} : { 'content-disposition': disposition }),
  }
  if (isNotModified(request.headers, [headers.etag])) return notModified(headers)
  const picture = await gateway.pictures.get({
    cid: entity.cid.toString(),
    sizeBytes: content.sizeBytes,
    options,
    read: (signal) => readWhole(gateway, entity, signal),
    isPrivate: gateway.isPrivate ?? false,
    address: request.address,
    signal: request.signal,
  })
  return serveBytes(request, inPieces(picture.bytes), { ...headers, 'content-type': picture.contentType })
}

function notAPicture(type: string): CairnError {
  if (!type.startsWith('image/svg+xml')) return new CairnError('NOT_A_PICTURE', { details: { contentType: type } })
  return new CairnError('NOT_A_PICTURE', {
    message: 'SVG drawings are not resized',
    hint: 'Request the file without picture parameters: browsers scale it.',
    details: { contentType: type },
  })
}

function readWhole(
  { source }: Gateway,
  entity: Entity,
  signal: AbortSignal,
): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  const content = openFile(source, entity, signal)
  const bytes = content.read({ start: 0, end: content.sizeBytes })
  return bytes instanceof Uint8Array ? [bytes] : bytes
}

/** Wraps a result so that a slow reader of a large one is handled as that of a file. */
function inPieces(bytes: Uint8Array): Readable {
  return {
    sizeBytes: bytes.length,
    read: ({ start, end }) =>
      end - start <= maxWholeBytes ? bytes.subarray(start, end) : split(bytes.subarray(start, end)),
  }
}

async function* split(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += maxWholeBytes) yield bytes.subarray(at, at + maxWholeBytes)
}
