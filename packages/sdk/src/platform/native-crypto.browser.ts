/** Computes SHA-256 with WebCrypto. */
export async function hashSha256(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
}

/** WebCrypto only offers Ed25519 for keys it manages itself; other keys use JavaScript. */
export const signEd25519 = undefined
