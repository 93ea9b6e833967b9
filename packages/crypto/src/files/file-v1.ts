import { CairnError } from '@cairn/protocol'
import { deriveBytesV1, type KeyUse } from './file-key.ts'

/** Layout of the first format: salt, IV, ciphertext, tag. */
export const saltBytes = 16
export const ivBytes = 12
export const tagBytes = 16
/** Bytes that encryption adds. */
export const overheadV1 = saltBytes + ivBytes + tagBytes
/** Maximum size of a file in one AES-GCM message. @see https://csrc.nist.gov/pubs/sp/800/38/d/final */
export const maxBytesV1 = 2 ** 36 - 32

/** The random parts of a file: equal ones produce equal bytes. */
export type SeedV1 = {
  salt: Uint8Array<ArrayBuffer>
  iv: Uint8Array<ArrayBuffer>
  /** The derived key, if its derivation began before the file's turn. */
  keyBytes?: Promise<Uint8Array<ArrayBuffer>>
}

/** Creates a random salt and IV. */
export function createSeedV1(): SeedV1 {
  return {
    salt: crypto.getRandomValues(new Uint8Array(saltBytes)),
    iv: crypto.getRandomValues(new Uint8Array(ivBytes)),
  }
}

/**
 * Creates a random salt and IV, and begins to derive the key, which takes about 100 ms of one core: the keys of several
 * files can be derived at the same time.
 * @throws CairnError KEY_NOT_SHARDABLE as the rejection of `keyBytes`
 */
export function beginSeedV1(masterKey: string): SeedV1 & Required<Pick<SeedV1, 'keyBytes'>> {
  const seed = createSeedV1()
  return { ...seed, keyBytes: deriveBytesV1(masterKey, seed.salt, 'encrypt') }
}

/**
 * Encrypts bytes in the first format, which published clients read: AES-256-GCM, salt and IV in front, tag at the end.
 * Everything is in memory; for files see `encryptV1`.
 * @param masterKey 64 hex characters
 * @throws CairnError KEY_NOT_SHARDABLE
 */
export async function encryptBytesV1(bytes: Uint8Array, masterKey: string, seed = createSeedV1()): Promise<Uint8Array> {
  const key = await importWhole(masterKey, seed.salt, 'encrypt')
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv: seed.iv }, key, new Uint8Array(bytes))
  const out = new Uint8Array(saltBytes + ivBytes + sealed.byteLength)
  out.set(seed.salt)
  out.set(seed.iv, saltBytes)
  out.set(new Uint8Array(sealed), saltBytes + ivBytes)
  return out
}

/**
 * Decrypts bytes of the first format, and returns them only if all are verified.
 * @throws CairnError NOT_ENCRYPTED (too short), DECRYPTION_FAILED (another key, or changed data)
 */
export async function decryptBytesV1(bytes: Uint8Array, masterKey: string): Promise<Uint8Array> {
  if (bytes.length < overheadV1) throw new CairnError('NOT_ENCRYPTED')
  const copy = new Uint8Array(bytes)
  const key = await importWhole(masterKey, copy.slice(0, saltBytes), 'decrypt')
  const iv = copy.slice(saltBytes, saltBytes + ivBytes)
  try {
    return new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, copy.subarray(saltBytes + ivBytes)))
  } catch (cause) {
    throw new CairnError('DECRYPTION_FAILED', { cause })
  }
}

async function importWhole(masterKey: string, salt: Uint8Array<ArrayBuffer>, use: KeyUse): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', await deriveBytesV1(masterKey, salt, use), 'AES-GCM', false, [use])
}
