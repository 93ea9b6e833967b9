import type { NameKey } from '@cairn/names'
import { loadTools } from './load-tools.ts'

/**
 * Creates the key of a new name on this machine without any request. Store the key, and publish with `publishSigned`.
 */
export async function createNameKey(): Promise<NameKey> {
  return (await loadTools()).createNameKey()
}

/**
 * Parses a name key from `exportNameKey`, `exportName` or `ipfs key export`, as text (base64, PEM) or bytes.
 * @throws CairnError INVALID_NAME_KEY, also for keys that are not Ed25519
 */
export async function importNameKey(source: string | Uint8Array): Promise<NameKey> {
  return (await loadTools()).importNameKey(source)
}

/**
 * Exports a key as text. `libp2p` is the base64 of the bytes that `ipfs key import` reads from a file; `pem` is PKCS#8.
 * Anyone with this key can publish to the name.
 */
export async function exportNameKey(key: NameKey, format: 'libp2p' | 'pem' = 'pem'): Promise<string> {
  return (await loadTools()).exportNameKey(key, format)
}
