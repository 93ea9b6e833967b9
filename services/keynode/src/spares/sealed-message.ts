import { agreementKeyOf, agreementKeysOf } from '@cairn/crypto'
import { CairnError } from '@cairn/protocol'
import { CompactEncrypt, compactDecrypt, importJWK } from 'jose'
import type { NodeKeys } from '../identity.ts'

// RFC 7516, with the key agreement of RFC 8037.
const algorithm = 'ECDH-ES'
const encryption = 'A256GCM'
const curve = { kty: 'OKP', crv: 'X25519' }

// Keys are kept: to compute one costs more than a message.
/** By did:key; there are as many as peers in the settings. */
const peerKeys = new Map<string, Promise<CryptoKey | Uint8Array>>()
const ownKeys = new WeakMap<NodeKeys, Promise<CryptoKey | Uint8Array>>()

/** Encrypts text for the holder of a did:key. @throws CairnError INVALID_CONFIGURATION for text that is not a did:key */
export async function sealMessage(didKey: string, text: string): Promise<string> {
  const key = peerKeys.get(didKey) ?? importPeer(didKey)
  peerKeys.set(didKey, key)
  const message = new CompactEncrypt(Buffer.from(text)).setProtectedHeader({ alg: algorithm, enc: encryption })
  return message.encrypt(await key)
}

/** Opens text that was encrypted for the signing key of a node. @throws the error of jose for any other */
export async function openMessage(keys: NodeKeys, message: string): Promise<string> {
  const key = ownKeys.get(keys) ?? importOwn(keys)
  ownKeys.set(keys, key)
  const options = { keyManagementAlgorithms: [algorithm], contentEncryptionAlgorithms: [encryption] }
  const { plaintext } = await compactDecrypt(message, await key, options)
  return Buffer.from(plaintext).toString('utf8')
}

async function importPeer(didKey: string): Promise<CryptoKey | Uint8Array> {
  const publicKey = agreementKeyOf(didKey)
  if (publicKey === undefined) {
    throw new CairnError('INVALID_CONFIGURATION', { message: `${didKey} is not the did:key of a key node` })
  }
  return importJWK({ ...curve, x: base64url(publicKey) }, algorithm)
}

async function importOwn({ signing }: NodeKeys): Promise<CryptoKey | Uint8Array> {
  const { publicKey, secretKey } = agreementKeysOf(signing)
  return importJWK({ ...curve, x: base64url(publicKey), d: base64url(secretKey) }, algorithm)
}

function base64url(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url')
}
