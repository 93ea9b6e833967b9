import { readFile, UnixfsError } from '@cairn/unixfs'
import { type Answer, type ContentRequest, type Gateway, redirect } from '../answer.ts'
import { openPath } from '../open-path.ts'
import { parseSegments } from '../requests/content-path.ts'
import { chooseFormat } from '../requests/response-format.ts'
import {
  applyRules,
  badRedirects,
  keepQuery,
  maxRedirectsFile,
  parseRedirects,
  type Redirect,
} from './redirects-file.ts'
import { serveFile } from './serve-file.ts'

type Serve = (gateway: Gateway, request: ContentRequest) => Promise<Answer>

/**
 * Serves a root on an origin of its own, which may define rules for missing paths in a `_redirects` file.
 * @see https://specs.ipfs.tech/http-gateways/web-redirects-file/
 */
export async function serveSite(gateway: Gateway, request: ContentRequest, serve: Serve): Promise<Answer> {
  try {
    return await serve(gateway, request)
  } catch (error) {
    if (!isMissing(error) || (await isAsIs(gateway, request))) throw error
    const rule = await findRule(gateway, request)
    if (rule === undefined) throw error
    return followRule(gateway, request, rule, serve)
  }
}

/** Whether the path is answered as it is: in a format, or through a signed link, which is not for what a rule replaces it by. */
async function isAsIs({ links }: Gateway, { query, path, headers }: ContentRequest): Promise<boolean> {
  const { format, ownQuery } = chooseFormat(query, headers.accept)
  // Programs that read the pages of a site ask for JSON, too, which is the file itself.
  if (format !== undefined && (ownQuery === undefined || (format !== 'json' && format !== 'cbor'))) return true
  // Sites have signatures of their own in their addresses.
  return path.mount === undefined && (await links.find(query, path)) !== undefined
}

function isMissing(error: unknown): boolean {
  return UnixfsError.is(error, 'NOT_FOUND') || UnixfsError.is(error, 'NOT_A_DIRECTORY')
}

async function findRule(gateway: Gateway, request: ContentRequest): Promise<Redirect | undefined> {
  const text = await readRules(gateway, request)
  if (text === undefined) return undefined
  return applyRules(parseRedirects(text), `/${request.path.segments.join('/')}`)
}

async function readRules(gateway: Gateway, request: ContentRequest): Promise<string | undefined> {
  const path = { ...request.path, segments: ['_redirects'] }
  try {
    const { cid, node } = await openPath(gateway.source, path, request.signal)
    if (node.kind !== 'raw' && node.kind !== 'file') return undefined
    if (node.fileSizeBytes > maxRedirectsFile) {
      throw badRedirects(`redirects file size cannot exceed ${maxRedirectsFile} bytes`)
    }
    const chunks = await Array.fromAsync(readFile(gateway.source, cid, { signal: request.signal }))
    return Buffer.concat(chunks).toString('utf8')
  } catch (error) {
    // A root without the file, or one that is itself a file, has no rules.
    if (isMissing(error)) return undefined
    throw error
  }
}

async function followRule(gateway: Gateway, request: ContentRequest, rule: Redirect, serve: Serve): Promise<Answer> {
  if (rule.status >= 300 && rule.status < 400)
    return redirect(rule.status, headerSafe(keepQuery(rule.to, request.search)))
  const path = { ...request.path, ...parseSegments(rule.to.split(/[?#]/, 1)[0] ?? '') }
  if (rule.status === 200) return serve(gateway, { ...request, path })
  gateway.denylist.requireContent(path.cid, path.segments)
  const entity = await openPath(gateway.source, path, request.signal)
  const unconditional = { ...request.headers, range: undefined, ifMatch: undefined, ifNoneMatch: undefined }
  const plain = { ...request, path, headers: unconditional }
  return serveFile(gateway, plain, { entity, name: path.segments.at(-1), tagCid: entity.cid, status: rule.status })
}

/** Encodes an address for a header; percent-encoded parts stay unchanged. */
function headerSafe(address: string): string {
  return encodeURI(address.toWellFormed()).replaceAll('%25', '%')
}
