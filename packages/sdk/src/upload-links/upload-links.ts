import {
  createUploadLink as createUploadLinkCall,
  inspectUploadLink as inspectUploadLinkCall,
  listUploadLinks as listUploadLinksCall,
  MIB,
  revokeUploadLink as revokeUploadLinkCall,
  type UploadLink,
  type UploadLinkInfo,
} from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, call } from '../request.ts'
import { formatUploadLink, openUploadLink } from './open-upload-link.ts'

/** What an upload link accepts. */
export type UploadLinkOptions = {
  /** Largest file in bytes. Defaults to 100 MiB. */
  maxFileBytes?: number
  /** Number of files, at most 100,000. Defaults to 100. */
  maxUploads?: number
  /** Bytes of all files together. Defaults to as many as the other two limits allow. */
  maxTotalBytes?: number
  /** Media types such as `application/pdf` or `image/*`, as declared by the senders. Defaults to all. */
  contentTypes?: readonly string[]
  /** In ms since 1970, at most a year from now. Defaults to seven days from now. */
  expiresAt?: number
  /** Shown to the owner in lists. */
  label?: string
}

/** A new upload link. Its URL and token contain the secret and are not shown again. */
export type CreatedUploadLink = UploadLink & { url: string; token: string }

const defaultLifetimeMs = 7 * 86_400_000
const defaultUploads = 100
const defaultFileBytes = 100 * MIB

/**
 * Creates a link with which anyone can upload files into the account, without a wallet or an API key. The files count
 * towards the storage of the account. Requires an API key with the scope `files:write`.
 * @example
 * const { url } = await createUploadLink(client, { maxUploads: 10, contentTypes: ['image/*'] })
 * @throws CairnError FORBIDDEN (scope, or 1,000 links), INVALID_REQUEST, INVALID_LABEL
 */
export async function createUploadLink(
  client: Client,
  options: UploadLinkOptions = {},
  callOptions: CallOptions = {},
): Promise<CreatedUploadLink> {
  const { maxFileBytes = defaultFileBytes, maxUploads = defaultUploads, contentTypes = [], label = '' } = options
  const {
    maxTotalBytes = Math.min(maxFileBytes * maxUploads, Number.MAX_SAFE_INTEGER),
    expiresAt = Date.now() + defaultLifetimeMs,
  } = options
  const body = { maxFileBytes, maxUploads, maxTotalBytes, contentTypes: [...contentTypes], expiresAt, label }
  const link = await call(client, createUploadLinkCall, { body }, callOptions)
  return { ...link, url: formatUploadLink(client.network.api, link.token) }
}

/**
 * Lists the upload links of the account with their use so far, newest first, without their secrets. Links that ended more than
 * 30 days ago are removed.
 */
export async function listUploadLinks(client: Client, options?: CallOptions): Promise<UploadLink[]> {
  return (await call(client, listUploadLinksCall, {}, options)).links
}

/**
 * Revokes an upload link: the service stores nothing more through it, not even uploads in progress. Stored files stay.
 * @throws CairnError NOT_FOUND, FORBIDDEN
 */
export function revokeUploadLink(client: Client, id: string, options?: CallOptions): Promise<UploadLink> {
  return call(client, revokeUploadLinkCall, { params: { id } }, options)
}

/**
 * Returns what an upload link accepts, and until when. Requires nothing but the link.
 * @throws CairnError GONE (expired, revoked or used up), NOT_FOUND, ACCOUNT_BLOCKED, INVALID_REQUEST, NO_NETWORK
 */
export async function inspectUploadLink(link: string, options?: CallOptions): Promise<UploadLinkInfo> {
  const { client, token } = await openUploadLink(link, options?.signal)
  return call(client, inspectUploadLinkCall, { body: { token } }, options)
}
