import { CairnError } from '@cairn/protocol'
import { loadBlock } from '@cairn/unixfs'
import { type Answer, type ContentRequest, type Gateway, generated, htmlType, notModified } from '../answer.ts'
import { cborCode, dagCborCode, dagJsonCode, jsonCode } from '../linked-value.ts'
import { cachePolicy, contentHeaders, type Entity } from '../open-path.ts'
import { pagePolicy, pageVersion } from '../pages/directory-page.ts'
import { renderDocumentPage } from '../pages/document-page.ts'
import { pageLinks } from '../pages/page-links.ts'
import { mediaTypes, type ResponseFormat } from '../requests/response-format.ts'
import { contentDisposition } from './content-disposition.ts'
import { entityTag, isNotModified } from './entity-tags.ts'
import { bytesInMemory, serveBytes } from './serve-bytes.ts'

/** Codecs of document blocks, and the format that returns them unchanged. */
const documentFormats = new Map<number, 'json' | 'cbor' | 'dag-json' | 'dag-cbor'>([
  [jsonCode, 'json'],
  [cborCode, 'cbor'],
  [dagJsonCode, 'dag-json'],
  [dagCborCode, 'dag-cbor'],
])

/** Whether the entity is a JSON or CBOR document, plain or with links. */
export function isDocument({ cid }: Entity): boolean {
  return documentFormats.has(cid.code)
}

/** Answers with the raw bytes of one block. @see https://specs.ipfs.tech/http-gateways/trustless-gateway/ */
export async function serveRaw(
  gateway: Gateway,
  request: ContentRequest,
  entity: Pick<Entity, 'cid' | 'roots'>,
): Promise<Answer> {
  const bytes = await loadBlock(gateway.source, entity.cid, request)
  return serveBytes(request, bytesInMemory(bytes), {
    ...contentHeaders(request.path, entity),
    etag: entityTag(entity.cid, 'raw'),
    'content-type': mediaTypes.raw,
    'content-disposition': contentDisposition('attachment', request.query.get('filename') ?? `${entity.cid}.bin`),
  })
}

/**
 * Answers with a document as stored. Nothing is converted: a format other than the block's own is rejected, except
 * that DAG-JSON may be requested as JSON and DAG-CBOR as CBOR.
 * @throws CairnError NOT_ACCEPTABLE @see https://specs.ipfs.tech/ipips/ipip-0524/
 */
export async function serveDocument(
  gateway: Gateway,
  request: ContentRequest,
  entity: Entity,
  asked: ResponseFormat | undefined,
): Promise<Answer> {
  const own = documentFormats.get(entity.cid.code)
  if (own === undefined) {
    throw new CairnError('NOT_ACCEPTABLE', { message: `The block is not stored as ${asked ?? 'a document'}` })
  }
  const format = asked === undefined || asked === own || `dag-${asked}` === own ? (asked ?? own) : undefined
  if (format === undefined) {
    throw new CairnError('NOT_ACCEPTABLE', {
      message: `The block is stored as ${own}, and this service does not convert formats`,
    })
  }
  if (asked === undefined && own.startsWith('dag-') && wantsPage(request)) return servePage(request, entity, own)
  const bytes = await loadBlock(gateway.source, entity.cid, request)
  const extension = own.endsWith('json') ? 'json' : 'cbor'
  const kind = request.query.get('download') === 'true' || extension === 'cbor' ? 'attachment' : 'inline'
  return serveBytes(request, bytesInMemory(bytes), {
    ...contentHeaders(request.path, entity),
    etag: entityTag(entity.cid, format),
    'content-type': mediaTypes[format],
    'content-disposition': contentDisposition(kind, request.query.get('filename') ?? `${entity.cid}.${extension}`),
  })
}

function wantsPage({ headers, query }: ContentRequest): boolean {
  return query.get('download') !== 'true' && (headers.accept?.includes('text/html') ?? false)
}

function servePage(request: ContentRequest, entity: Entity, codec: string): Answer {
  const etag = `"DagIndex-${pageVersion}_CID-${entity.cid.toString()}"`
  const { 'cache-control': _immutable, ...headers } = contentHeaders(request.path, entity)
  const page = { ...headers, etag, 'content-type': htmlType, 'content-security-policy': pagePolicy }
  if (isNotModified(request.headers, [etag]))
    return notModified({ ...page, 'cache-control': cachePolicy(request.path, generated) })
  return serveBytes(request, bytesInMemory(renderDocumentPage(entity, request.path, codec, pageLinks(request))), page)
}
