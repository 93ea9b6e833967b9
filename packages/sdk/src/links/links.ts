import { createLinkSecret, deriveLinkKeys } from '@cairn/crypto'
import {
  CairnError,
  cidSchema,
  createLink as createLinkCall,
  type FileLink,
  inspectLink as inspectLinkCall,
  joinUrl,
  type LinkInfo,
  listLinks as listLinksCall,
  openLink as openLinkCall,
  revokeLink as revokeLinkCall,
} from '@cairn/protocol'
import * as v from 'valibot'
import type { Client } from '../client.ts'
import { getKey } from '../keys/get-key.ts'
import { type CallOptions, call } from '../request.ts'

/** How a link can be used. */
export type LinkOptions = {
  /** In ms since 1970, at most a year from now. Defaults to seven days from now. */
  expiresAt?: number
  /** Number of times that the link can be opened, at most 100,000. Defaults to 100. */
  maxOpens?: number
  /** Required in addition to the link to open it. */
  password?: string
  /** Name of the file or folder, for visitors: at most 1,024 characters. The service cannot read it. */
  name?: string
  /** Shown to the owner in lists. The service can read it. */
  label?: string
  /** The file key, if known. Otherwise the key comes from the key nodes. */
  masterKey?: string
}

/** A new link. Its URL contains the key and is not shown again. */
export type CreatedLink = FileLink & { url: string }

/** What a link opens: `masterKey` is an option of `decryptFile` and the other functions that decrypt. */
export type OpenedLink = LinkInfo & { cid: string; masterKey: string; name: string | undefined }

const defaultLifetimeMs = 7 * 86_400_000
const defaultOpens = 100
const pathPrefix = '/link/'

const maxNameCharacters = 1024

/** What the sealed text contains. */
const contentSchema = v.object({
  cid: cidSchema,
  key: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/i, 'masterKey must be 64 hex characters')),
  name: v.optional(
    v.pipe(v.string(), v.maxLength(maxNameCharacters, `name must have at most ${maxNameCharacters} characters`)),
  ),
})
type LinkContent = v.InferOutput<typeof contentSchema>

/**
 * Creates a link to an encrypted file or folder, for people without wallets. The file key is sealed on this machine with a
 * key that is only in the fragment of the URL, which programs never send to a server. The service keeps the sealed key and
 * gives it to visitors while the link is valid. Requires an API key with the scope `files:write`, and a session with the key
 * nodes unless `masterKey` is given.
 * @example
 * const { url } = await createLink(client, cid, { maxOpens: 3, expiresAt: Date.now() + 86_400_000 })
 * @throws CairnError FORBIDDEN (scope, or 1,000 links), INVALID_REQUEST, INVALID_LABEL, INVALID_CID, and those of `getKey`
 */
export async function createLink(
  client: Client,
  cid: string,
  options: LinkOptions = {},
  callOptions: CallOptions = {},
): Promise<CreatedLink> {
  const { expiresAt = Date.now() + defaultLifetimeMs, maxOpens = defaultOpens, password, name, label } = options
  const { signal } = callOptions
  const key = options.masterKey ?? (await getKey(client, cid, signal === undefined ? {} : { signal })).masterKey
  const content = checkContent({ cid, key, ...(name === undefined ? {} : { name }) })
  const secret = createLinkSecret()
  const { token, passwordToken, seal } = await deriveLinkKeys(secret, password)
  const body = {
    id: secret.id,
    cid,
    expiresAt,
    maxOpens,
    sealed: await seal(JSON.stringify(content)),
    token,
    ...(passwordToken === undefined ? {} : { passwordToken }),
    ...(label === undefined ? {} : { label }),
  }
  const link = await call(client, createLinkCall, { body }, callOptions)
  return { ...link, url: joinUrl(client.network.api, `${pathPrefix}${secret.id}#${secret.key}`) }
}

/** Lists the links of the account, newest first, without their keys. Links that ended more than 30 days ago are removed. */
export async function listLinks(client: Client, options?: CallOptions): Promise<FileLink[]> {
  return (await call(client, listLinksCall, {}, options)).links
}

/**
 * Revokes a link: it cannot be opened from then on. People who opened it may have kept the file or its key.
 * @throws CairnError NOT_FOUND, FORBIDDEN
 */
export function revokeLink(client: Client, id: string, options?: CallOptions): Promise<FileLink> {
  return call(client, revokeLinkCall, { params: { id } }, options)
}

/**
 * Returns who shared a link, when it expires and whether it needs a password. Does not count as an open.
 * @param client of the network of the link, without an API key
 * @throws CairnError GONE (expired, revoked or used up), NOT_FOUND, ACCESS_DENIED (an incomplete link), INVALID_REQUEST
 */
export async function inspectLink(client: Client, url: string, options?: CallOptions): Promise<LinkInfo> {
  const secret = parseLink(url)
  const { token } = await deriveLinkKeys(secret)
  return call(client, inspectLinkCall, { params: { id: secret.id }, body: { token } }, options)
}

/**
 * Opens a link, which counts as one open, and returns the CID and the key. Never retries, because the open counts
 * even if the response is lost.
 * @param client of the network of the link, without an API key
 * @example
 * const { cid, masterKey } = await openLink(client, url)
 * await decryptFile(client, cid, 'photo.jpg', { masterKey })
 * @throws CairnError those of {@link inspectLink}; ACCESS_DENIED also for a wrong password, DECRYPTION_FAILED
 */
export async function openLink(
  client: Client,
  url: string,
  { password, ...options }: CallOptions & { password?: string } = {},
): Promise<OpenedLink> {
  const secret = parseLink(url)
  const { token, passwordToken, open } = await deriveLinkKeys(secret, password)
  const body = { token, ...(passwordToken === undefined ? {} : { passwordToken }) }
  const { sealed, ...info } = await call(client, openLinkCall, { params: { id: secret.id }, body }, options)
  // A password for a link without one would derive another key.
  const text = await (info.needsPassword ? open : (await deriveLinkKeys(secret)).open)(sealed)
  const { cid, key, name } = readContent(text)
  // The sealed CID counts: the service could change the other.
  return { ...info, cid, masterKey: key, name }
}

/** Rejects what no visitor could open, before the link exists. @throws CairnError INVALID_REQUEST, INVALID_CID */
function checkContent(content: LinkContent): LinkContent {
  const checked = v.safeParse(contentSchema, content)
  if (checked.success) return checked.output
  const [{ message, path }] = checked.issues
  if (path?.[0].key === 'cid') throw new CairnError('INVALID_CID')
  throw new CairnError('INVALID_REQUEST', { message })
}

function readContent(text: string): LinkContent {
  try {
    return v.parse(contentSchema, JSON.parse(text))
  } catch (cause) {
    throw new CairnError('UNEXPECTED_RESPONSE', { message: 'The link contains no file key', cause })
  }
}

function parseLink(url: string): { id: string; key: string } {
  const parsed = URL.parse(String(url).trim())
  const [, id = ''] = parsed?.pathname.match(/\/link\/([^/]*)$/) ?? []
  return { id, key: parsed?.hash.slice(1) ?? '' }
}
