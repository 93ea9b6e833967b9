/** Computes SHA-256 with WebCrypto, which copies the bytes before it returns: the caller may reuse them. */
export async function hashSha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', isUnshared(bytes) ? bytes : new Uint8Array(bytes)))
}

/** WebCrypto refuses memory that threads share. */
function isUnshared(bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> {
  return bytes.buffer instanceof ArrayBuffer
}

/** WebCrypto only offers Ed25519 for keys it manages itself; other keys use JavaScript. */
export const signEd25519 = undefined
