import { hash } from 'node:crypto'
import { CairnError } from '@cairn/protocol'
import type { RequestedName } from '../../names/names.ts'
import { type Answer, type ContentRequest, type Gateway, type GatewayRequest, notModified } from '../answer.ts'
import { openPath } from '../open-path.ts'
import { parseSegments } from '../requests/content-path.ts'
import { chooseFormat, mediaTypes } from '../requests/response-format.ts'
import { contentDisposition } from './content-disposition.ts'
import { isNotModified } from './entity-tags.ts'

type Serve = (gateway: Gateway, request: ContentRequest) => Promise<Answer>

/** The requested name, and the path below it as sent. */
export type NamedPath = { name: RequestedName; rest: string }

/**
 * Serves what a name currently resolves to, or its signed record. Content is served as under its CID, but may be
 * cached only as long as the records on the way allow.
 * @throws CairnError as `NameResolver.resolve`; INVALID_REQUEST for the record of a path or of a DNS name
 */
export async function serveName(
  gateway: Gateway,
  request: GatewayRequest,
  { name, rest }: NamedPath,
  serve: Serve,
): Promise<Answer> {
  const below = parseSegments(rest)
  gateway.denylist.requireName(name, below.segments)
  const { format } = chooseFormat(request.query, request.headers.accept)
  if (format === 'ipns-record') {
    if (name.kind === 'dns' || below.segments.length > 0) {
      throw new CairnError('INVALID_REQUEST', {
        message:
          name.kind === 'dns' ? 'A DNS name has no IPNS record' : 'Only a name has a record, not a path below it',
        hint: 'Request /ipns/{name} itself, with a name such as k51….',
      })
    }
    return serveRecord(gateway, request, name.name)
  }
  const found = await gateway.names.resolve(name, below.segments, request, gateway.denylist)
  const target = { cid: found.cid, cidText: found.cidText, segments: found.segments, trailingSlash: false }
  const entity = found.segments.length === 0 ? undefined : await openPath(gateway.source, target, request.signal)
  if (entity !== undefined && entity.remaining.length > 0) {
    throw new CairnError('NOT_SUPPORTED', { message: 'The name points to a value in a document that is not a link' })
  }
  const cid = entity?.cid ?? found.cid
  const mount = { name: name.kind === 'dns' ? name.host : name.name, maxAgeMs: found.maxAgeMs }
  return serve(gateway, { ...request, path: { ...below, cid, cidText: cid.toString(), mount } })
}

/** Returns the signed record: clients can verify it with only the name. */
async function serveRecord(
  { names }: Gateway,
  { method, query, headers: conditions }: GatewayRequest,
  name: string,
): Promise<Answer> {
  const { bytes, maxAgeMs } = await names.record(name)
  const headers = {
    'content-type': mediaTypes['ipns-record'],
    'content-disposition': contentDisposition('attachment', query.get('filename') ?? `${name}.ipns-record`),
    'content-length': String(bytes.length),
    'cache-control': `public, max-age=${Math.floor(maxAgeMs / 1000)}`,
    etag: `"${hash('sha256', bytes, 'hex').slice(0, 32)}.ipns-record"`,
    'x-ipfs-path': `/ipns/${name}`,
    'ipfs-uri': `ipns://${name}`,
    vary: 'Accept',
  }
  if (isNotModified(conditions, [headers.etag])) return notModified(headers)
  return { status: 200, headers, ...(method === 'HEAD' ? {} : { body: bytes }) }
}
