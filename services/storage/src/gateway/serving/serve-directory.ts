import { CairnError } from '@cairn/protocol'
import { listDirectory, UnixfsError } from '@cairn/unixfs'
import {
  type Answer,
  type ContentRequest,
  type Gateway,
  generated,
  htmlType,
  notModified,
  redirect,
} from '../answer.ts'
import { cachePolicy, contentHeaders, type Entity, openPath } from '../open-path.ts'
import { pagePolicy, pageVersion, renderDirectory } from '../pages/directory-page.ts'
import { pageLinks } from '../pages/page-links.ts'
import { encodePath, rootPath } from '../requests/content-path.ts'
import { hasOwnOrigin } from '../requests/gateway-host.ts'
import { entityTag, isNotModified } from './entity-tags.ts'
import { serveFile } from './serve-file.ts'

/** Maximum page number; no folder has more pages. */
const maxPage = 100_000

/** Answers with a folder: its `index.html` if it has one, else a page of its entries. */
export async function serveDirectory(gateway: Gateway, request: ContentRequest, entity: Entity): Promise<Answer> {
  const { path } = request
  if (!path.trailingSlash) return redirect(301, `${pathOf(request)}/${request.search}`, contentHeaders(path, entity))
  const index = await findIndex(gateway, request, entity)
  if (index !== undefined) {
    // A rule for the path of the index holds for the folder, too, which shows it.
    gateway.denylist.requireContent(path.cid, [...path.segments, 'index.html'])
    return serveFile(gateway, request, {
      entity: { ...index, roots: entity.roots },
      name: 'index.html',
      tagCid: entity.cid,
    })
  }
  const page = readPage(request.query.get('page'))
  const etag = `"DirIndex-${pageVersion}${page === 1 ? '' : `.${page}`}_CID-${entity.cid.toString()}"`
  const headers = {
    ...contentHeaders(path, entity),
    'cache-control': cachePolicy(path, generated),
    etag,
    'content-type': htmlType,
    'content-security-policy': pagePolicy,
    'referrer-policy': 'no-referrer',
  }
  if (isNotModified(request.headers, [etag, entityTag(entity.cid)])) return notModified(headers)
  if (request.method === 'HEAD') return { status: 200, headers }
  const html = renderDirectory({
    cid: entity.cid,
    root: rootPath(path),
    segments: path.segments,
    links: pageLinks(request),
    sizeBytes: claimedSize(entity),
    entries: listDirectory(gateway.source, entity.cid, { signal: request.signal }),
    page,
  })
  return { status: 200, headers, body: () => inPieces(html) }
}

/** Returns the path of a content request as it appears in a URL on the requested host. */
function pathOf({ host, path }: ContentRequest): string {
  const rest = encodePath({ ...path, trailingSlash: false })
  return hasOwnOrigin(host) ? rest : `${rootPath(path)}${rest}`
}

async function findIndex(gateway: Gateway, request: ContentRequest, entity: Entity): Promise<Entity | undefined> {
  try {
    const path = { ...request.path, cid: entity.cid, segments: ['index.html'] }
    const index = await openPath(gateway.source, path, request.signal)
    return index.node.kind === 'raw' || index.node.kind === 'file' ? index : undefined
  } catch (error) {
    // Most folders have no index, so the page of entries is shown.
    if (UnixfsError.is(error, 'NOT_FOUND')) return undefined
    throw error
  }
}

function readPage(text: string | null): number {
  // A site's own ?page= is ignored; only folders without an index reach this point.
  if (text === null || !/^\d+$/.test(text)) return 1
  const page = Number(text)
  if (page >= 1 && page <= maxPage) return page
  throw new CairnError('INVALID_REQUEST', { message: `page must be from 1 to ${maxPage}` })
}

function claimedSize({ node }: Entity): number | undefined {
  let sum = 0
  for (const link of node.links) sum += link.sizeBytes ?? Number.NaN
  return Number.isSafeInteger(sum) ? sum : undefined
}

/** Joins lines into pieces of a suitable size. */
async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  let piece = ''
  for await (const line of lines) {
    piece += line
    if (piece.length >= 32_768) {
      yield Buffer.from(piece)
      piece = ''
    }
  }
  if (piece !== '') yield Buffer.from(piece)
}
