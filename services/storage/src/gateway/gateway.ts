import { CairnError } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import { isLookupUnavailable, type RequestedName } from '../names/names.ts'
import { type Answer, type ContentRequest, type Gateway, type GatewayRequest, redirect } from './answer.ts'
import { type Entity, openPath, toGatewayError } from './open-path.ts'
import { parseContentPath, parseSegments, splitRoot } from './requests/content-path.ts'
import type { GatewayHost } from './requests/gateway-host.ts'
import { chooseFormat, type FormatChoice } from './requests/response-format.ts'
import {
  invalidName,
  nameSubdomainUrl,
  parseNameLabel,
  parseSubdomainPath,
  subdomainUrl,
} from './requests/subdomain.ts'
import { refuseServiceWorker } from './security-headers.ts'
import { isDocument, serveDocument, serveRaw } from './serving/serve-block.ts'
import { serveCar, serveMissingPath } from './serving/serve-car.ts'
import { serveDirectory } from './serving/serve-directory.ts'
import { openFile, serveFile } from './serving/serve-file.ts'
import { serveName } from './serving/serve-name.ts'
import { servePicture } from './serving/serve-picture.ts'
import { servePrivately } from './serving/serve-private.ts'
import { serveSite } from './serving/serve-site.ts'
import { serveTar } from './serving/serve-tar.ts'

export type { Answer, Gateway, GatewayRequest } from './answer.ts'
export { cborCode, dagCborCode, dagJsonCode, jsonCode } from './linked-value.ts'
export { type Entity, openPath, toGatewayError } from './open-path.ts'
export { writeCar } from './serving/serve-car.ts'
export { openFile } from './serving/serve-file.ts'
export { toTarItem, writeTar } from './serving/serve-tar.ts'

/**
 * Answers a request by host and path.
 * @throws CairnError and UnixfsError; `toGatewayError` converts the latter
 */
export async function answerRequest(gateway: Gateway, request: GatewayRequest): Promise<Answer> {
  const answer = await answerByHost(gateway, request)
  // Without `?format=`, Accept decides between a file, its raw block, a CAR and others, and whether a path is redirected:
  // a shared cache must not send the one that it got for another client.
  return request.query.get('format') ? answer : { ...answer, headers: { vary: 'Accept', ...answer.headers } }
}

async function answerByHost(gateway: Gateway, request: GatewayRequest): Promise<Answer> {
  const site = await findSite(gateway, request)
  if (site !== undefined) return serveOwnDomain(gateway, request, site)
  const { host, rawPath, method } = request
  refuseServiceWorker(host, request.headers.serviceWorker)
  if (host.kind === 'subdomain') {
    requireMethod(method, ['GET', 'HEAD'])
    if (host.namespace === 'ipns') return serveNameOrigin(gateway, request, host)
    const { path, isCanonical } = parseSubdomainPath(host.label, rawPath)
    if (!isCanonical) return redirect(301, subdomainUrl(host, path, request.search))
    return serveSite(gateway, { ...request, path }, serveContent)
  }
  if (/^\/ip[fn]s\/?$/.test(rawPath)) return answerUri(request)
  if (rawPath.startsWith('/ipfs/')) {
    requireMethod(method, ['GET', 'HEAD'])
    const path = parseContentPath(rawPath.slice('/ipfs/'.length))
    if (host.kind === 'root' && !isInert(request)) return redirect(301, subdomainUrl(host, path, request.search))
    return serveContent(gateway, { ...request, path })
  }
  if (rawPath.startsWith('/ipns/')) {
    requireMethod(method, ['GET', 'HEAD'])
    const { text, rest } = splitRoot(rawPath.slice('/ipns/'.length))
    const name = gateway.names.read(text)
    if (name === undefined) throw invalidName(text)
    if (host.kind === 'root' && !isInert(request))
      return redirect(301, nameSubdomainUrl(host, name, parseSegments(rest), request.search))
    // Each name has one canonical URL, regardless of the form it was written in.
    if (name.kind === 'ipns' && name.name !== text) return redirect(302, `/ipns/${name.name}${rest}${request.search}`)
    return serveName(gateway, request, { name, rest }, serveContent)
  }
  if (rawPath.startsWith('/api/v0/cat/')) {
    requireMethod(method, ['POST'])
    return catFile(gateway, { ...request, path: parseContentPath(rawPath.slice('/api/v0/cat/'.length)) })
  }
  throw new CairnError('NOT_FOUND', { hint: 'This is an IPFS gateway: open /ipfs/{cid} or {cid}.ipfs.{host}.' })
}

/**
 * Whether the answer is a download that no browser displays, so that it needs no origin of its own. Clients that verify
 * content reject redirects.
 */
function isInert({ query, headers }: GatewayRequest): boolean {
  const { format } = chooseFormat(query, headers.accept)
  return format === 'raw' || format === 'car' || format === 'ipns-record'
}

type Site = { host: Extract<GatewayHost, { kind: 'site' }>; name: RequestedName }

/** Whether the host is a user's domain with a DNSLink. Always false when no resolver is configured. */
async function findSite({ names }: Gateway, request: GatewayRequest): Promise<Site | undefined> {
  const { host, rawPath } = request
  if (host.kind !== 'path' || host.domain === undefined) return undefined
  const name = names.read(host.domain)
  if (name?.kind !== 'dns') return undefined
  try {
    if (!(await names.hasDnslink(name.host, request))) return undefined
  } catch (error) {
    // Content paths are answered while nothing can be looked up, sandboxed as on any shared origin.
    if (isLookupUnavailable(error) && /^\/ip[fn]s(\/|$)/.test(rawPath)) return undefined
    throw error
  }
  return { host: { kind: 'site', protocol: host.protocol, host: host.host }, name }
}

/** Answers a request to a user's own domain: all paths belong to its site. */
function serveOwnDomain(gateway: Gateway, request: GatewayRequest, { host, name }: Site): Promise<Answer> {
  requireMethod(request.method, ['GET', 'HEAD'])
  return serveName(gateway, { ...request, host }, { name, rest: request.rawPath }, (own, content) =>
    serveSite(own, content, serveContent),
  )
}

/** Answers a request to the origin of a name; its site may have rules for missing paths. */
function serveNameOrigin(
  gateway: Gateway,
  request: GatewayRequest,
  host: Extract<GatewayHost, { kind: 'subdomain' }>,
): Answer | Promise<Answer> {
  const { name, isCanonical } = parseNameLabel(gateway.names, host.label)
  const { rawPath, search } = request
  if (!isCanonical) return redirect(301, nameSubdomainUrl(host, name, parseSegments(rawPath), search))
  return serveName(gateway, request, { name, rest: rawPath }, (own, content) => serveSite(own, content, serveContent))
}

/** Browsers pass links of a registered scheme as `?uri=ipfs://…`. */
function answerUri(request: GatewayRequest): Answer {
  requireMethod(request.method, ['GET', 'HEAD'])
  const match = /^ip([fn])s:\/\/([^/?#]+)([^?#]*)(\?[^#]*)?/i.exec(request.query.get('uri') ?? '')
  if (match === null) throw new CairnError('INVALID_CID', { message: `invalid path "${request.rawPath}": no CID` })
  const [, kind = 'f', root = '', rest = '', search = ''] = match
  return redirect(301, `/ip${kind.toLowerCase()}s/${encodeOnce(`${root}${rest}${search}`)}`)
}

/** Encodes what a header may not contain. What is percent-encoded stays so: `%23` belongs to a name, `#` does not. */
function encodeOnce(text: string): string {
  return encodeURI(text).replace(/%25(?=[0-9a-f]{2})/gi, '%')
}

async function serveContent(gateway: Gateway, request: ContentRequest): Promise<Answer> {
  gateway.denylist.requireContent(request.path.cid, request.path.segments)
  const choice = chooseFormat(request.query, request.headers.accept)
  return servePrivately(gateway, request, choice.format, (own) => servePublicly(own, request, choice))
}

async function servePublicly(gateway: Gateway, request: ContentRequest, choice: FormatChoice): Promise<Answer> {
  const answer = { ...(await answerCached(gateway, request, choice)), root: request.path.cid.multihash.bytes }
  if (choice.ownQuery === undefined) return answer
  // Distinguishes the formats in caches that compare only URLs.
  return { ...answer, headers: { ...answer.headers, 'content-location': `${request.rawPath}${choice.ownQuery}` } }
}

/** @throws CairnError PRECONDITION_FAILED if a block is not stored, for a request of what is cached only */
async function answerCached(gateway: Gateway, request: ContentRequest, choice: FormatChoice): Promise<Answer> {
  try {
    return await servePath(gateway, request, choice)
  } catch (error) {
    const onlyCached = request.headers.cacheControl?.includes('only-if-cached') ?? false
    if (!onlyCached || toGatewayError(error).code !== 'BLOCK_NOT_FOUND') throw error
    throw new CairnError('PRECONDITION_FAILED', { message: 'The content is not stored on this service', cause: error })
  }
}

async function servePath(gateway: Gateway, request: ContentRequest, choice: FormatChoice): Promise<Answer> {
  const { cid, segments } = request.path
  // The block itself, of any codec, is not decoded: the client does that.
  if (choice.format === 'raw' && segments.length === 0) return serveRaw(gateway, request, { cid, roots: [cid] })
  const blocks: CID[] = []
  let entity: Entity
  try {
    entity = await openPath(gateway.source, request.path, request.signal, blocks)
  } catch (error) {
    if (choice.format !== 'car' || toGatewayError(error).code !== 'PATH_NOT_FOUND') throw error
    return serveMissingPath(gateway, request, blocks, choice.car)
  }
  if (entity.remaining.length > 0 && choice.format !== 'raw' && choice.format !== 'car') {
    const rest = entity.remaining.join('/')
    throw new CairnError('NOT_SUPPORTED', {
      message: `"${rest}" of "${entity.cid}" could not be returned: reading IPLD Kinds other than Links (CBOR Tag 42) is not implemented: try reading "/ipfs/${entity.cid}" instead`,
    })
  }
  return serveEntity(gateway, request, entity, choice)
}

function serveEntity(
  gateway: Gateway,
  request: ContentRequest,
  entity: Entity,
  { format, car }: FormatChoice,
): Answer | Promise<Answer> {
  switch (format) {
    case 'raw':
      return serveRaw(gateway, request, entity)
    case 'car':
      return serveCar(gateway, request, entity, car)
    case 'tar':
      return serveTar(gateway, request, entity)
    case 'dag-json':
    case 'dag-cbor':
      return serveDocument(gateway, request, entity, format)
    case 'ipns-record':
      throw new CairnError('INVALID_REQUEST', { message: 'A CID has no IPNS record', hint: 'Request an /ipns/ path.' })
    default:
      return serveDefault(gateway, request, entity, format)
  }
}

/** Plain JSON and CBOR formats apply to documents only; files and folders are served as themselves. */
async function serveDefault(
  gateway: Gateway,
  request: ContentRequest,
  entity: Entity,
  format: 'json' | 'cbor' | undefined,
): Promise<Answer> {
  if (isDocument(entity)) return serveDocument(gateway, request, entity, format)
  const { kind } = entity.node
  if (kind === 'directory' || kind === 'hamt') return serveDirectory(gateway, request, entity)
  if (kind === 'other') {
    throw new CairnError('NOT_ACCEPTABLE', { message: 'The block is neither a file nor a folder' })
  }
  const file = { entity, name: request.path.segments.at(-1), tagCid: entity.cid }
  return (await servePicture(gateway, request, file)) ?? serveFile(gateway, request, file)
}

/** `POST /api/v0/cat`: returns the plain bytes of a file, as published clients fetch them. */
async function catFile(gateway: Gateway, request: ContentRequest): Promise<Answer> {
  gateway.denylist.requireContent(request.path.cid, request.path.segments)
  return servePrivately(gateway, request, undefined, (own) => readWhole(own, request))
}

async function readWhole(gateway: Gateway, request: ContentRequest): Promise<Answer> {
  const entity = await openPath(gateway.source, request.path, request.signal)
  const { kind } = entity.node
  if (entity.remaining.length > 0 || kind === 'directory' || kind === 'hamt' || kind === 'other') {
    throw new CairnError('INVALID_REQUEST', {
      message: 'this dag node is a directory',
      hint: 'Use the path of a file.',
    })
  }
  const content = openFile(gateway.source, entity, request.signal)
  const range = { start: 0, end: content.sizeBytes }
  const bytes = content.read(range)
  return {
    status: 200,
    root: request.path.cid.multihash.bytes,
    headers: { 'content-type': 'application/octet-stream', 'content-length': String(content.sizeBytes) },
    body: bytes instanceof Uint8Array ? bytes : () => bytes,
  }
}

function requireMethod(method: string, allowed: readonly string[]): void {
  if (allowed.includes(method)) return
  throw new CairnError('METHOD_NOT_ALLOWED', { details: { allow: [...allowed, 'OPTIONS'].join(', ') } })
}
