import { createHmac, timingSafeEqual } from 'node:crypto'
import type { CID } from 'multiformats/cid'
import { deriveKey } from '../secrets/derive-key.ts'

const keyPurpose = 'gateway-links'
const idBytes = 16
const depthBytes = 2
const macBytes = 32

/** The values that a signature covers. */
export type SignedLink = {
  /** The upload that the link opens, as a UUID. */
  uploadId: string
  cid: CID
  /** Names of the path below the root; the link opens everything below it, too. */
  segments: readonly string[]
  expiresAtSeconds: number
}

/** Signs a link: base64url of the id of the upload, the number of signed names, and an HMAC over all of it. */
export function signLink(secret: Uint8Array, link: SignedLink): string {
  const head = Buffer.alloc(idBytes + depthBytes)
  head.write(link.uploadId.replaceAll('-', ''), 'hex')
  head.writeUInt16BE(link.segments.length, idBytes)
  return Buffer.concat([head, macOf(secret, link)]).toString('base64url')
}

/**
 * Returns the link that a signature opens a path through; undefined unless this service made the signature for the CID, the
 * expiry and the path or a folder above it. Does not read the clock.
 * @param secrets that of the service, and the one it replaces, if any
 */
export function verifyLink(
  secrets: readonly Uint8Array[],
  signature: string,
  request: Omit<SignedLink, 'uploadId'>,
): SignedLink | undefined {
  const bytes = Buffer.from(signature, 'base64url')
  // The decoder skips characters that are not base64url.
  if (bytes.length !== idBytes + depthBytes + macBytes || bytes.toString('base64url') !== signature) return undefined
  const depth = bytes.readUInt16BE(idBytes)
  if (depth > request.segments.length) return undefined
  const link = { ...request, uploadId: readId(bytes), segments: request.segments.slice(0, depth) }
  const mac = bytes.subarray(idBytes + depthBytes)
  return secrets.some((secret) => timingSafeEqual(mac, macOf(secret, link))) ? link : undefined
}

function macOf(secret: Uint8Array, { uploadId, cid, segments, expiresAtSeconds }: SignedLink): Buffer {
  // JSON distinguishes the name `a/b` from the names `a` and `b`.
  const text = JSON.stringify([uploadId, cid.toV1().toString(), expiresAtSeconds, segments])
  return createHmac('sha256', deriveKey(secret, keyPurpose)).update(text).digest()
}

function readId(bytes: Buffer): string {
  return bytes.toString('hex', 0, idBytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
