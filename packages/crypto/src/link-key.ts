import { CairnError } from '@cairn/protocol'
import { concatBytes, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64urlnopad } from '@scure/base'
import { deriveByScrypt } from '#scrypt'
import type { KeystoreOptions } from './wallets/keystore.ts'

/** A link: the id that the service knows, and the key that is only in the fragment of its URL, both base64url. */
export type LinkSecret = { id: string; key: string }

/** The keys derived from a link and its password, each for one purpose. */
export type LinkKeys = {
  /** Proves to the service that the caller knows the key. */
  token: string
  /** Proves that the caller also knows the password; undefined without one. */
  passwordToken: string | undefined
  /** Encrypts a text. @returns base64url */
  seal(text: string): Promise<string>
  /** Decrypts a sealed text. @throws CairnError DECRYPTION_FAILED */
  open(sealed: string): Promise<string>
}

const idBytes = 16
const keyBytes = 32
const nonceBytes = 12
/** As for wallets: 128 MiB of memory per guess. @see https://www.rfc-editor.org/rfc/rfc7914 */
const defaultLogN = 17

/** Creates the id and the key of a link. The id never begins with a dash, so that command lines do not read it as an option. */
export function createLinkSecret(): LinkSecret {
  let id: string
  do id = base64urlnopad.encode(randomBytes(idBytes))
  while (id.startsWith('-'))
  return { id, key: base64urlnopad.encode(randomBytes(keyBytes)) }
}

/**
 * Derives the keys of a link with HKDF-SHA-256. With a password, scrypt of the password is a part of the secret, so neither
 * the URL nor the password alone opens the link.
 * @throws CairnError INVALID_REQUEST if the id or the key is not one of a link
 * @see https://www.rfc-editor.org/rfc/rfc5869
 */
export async function deriveLinkKeys(
  { id, key }: LinkSecret,
  password?: string,
  { logN = defaultLogN }: KeystoreOptions = {},
): Promise<LinkKeys> {
  const [salt, secret] = [decode(id, idBytes), decode(key, keyBytes)]
  const stretched = password === undefined ? [] : [await stretch(password, salt, logN)]
  const [fromKey, fromBoth] = await Promise.all([importSecret(secret), importSecret(concatBytes(secret, ...stretched))])
  const derivation = (info: string) => ({
    name: 'HKDF',
    hash: 'SHA-256',
    salt,
    info: utf8ToBytes(`cairn/link/1/${info}`),
  })
  const deriveToken = async (from: CryptoKey, info: string) =>
    base64urlnopad.encode(new Uint8Array(await crypto.subtle.deriveBits(derivation(info), from, keyBytes * 8)))
  const sealKey = await crypto.subtle.deriveKey(derivation('seal'), fromBoth, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ])
  const algorithm = (iv: Uint8Array<ArrayBuffer>) => ({ name: 'AES-GCM', iv, additionalData: salt })
  return {
    token: await deriveToken(fromKey, 'token'),
    passwordToken: password === undefined ? undefined : await deriveToken(fromBoth, 'password'),
    async seal(text) {
      const iv = new Uint8Array(randomBytes(nonceBytes))
      const sealed = await crypto.subtle.encrypt(algorithm(iv), sealKey, new Uint8Array(utf8ToBytes(text)))
      return base64urlnopad.encode(concatBytes(iv, new Uint8Array(sealed)))
    },
    async open(sealed) {
      try {
        const bytes = new Uint8Array(base64urlnopad.decode(sealed))
        const iv = bytes.subarray(0, nonceBytes)
        const opened = await crypto.subtle.decrypt(algorithm(iv), sealKey, bytes.subarray(nonceBytes))
        return new TextDecoder('utf-8', { fatal: true }).decode(opened)
      } catch (cause) {
        throw new CairnError('DECRYPTION_FAILED', { message: 'The link does not match its key', cause })
      }
    },
  }
}

function stretch(password: string, salt: Uint8Array, logN: number): Promise<Uint8Array> {
  // As for wallets, so that the same characters from different keyboards are one password.
  return deriveByScrypt(utf8ToBytes(password.normalize('NFKC')), salt, { N: 2 ** logN, r: 8, p: 1 })
}

function importSecret(secret: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', new Uint8Array(secret), 'HKDF', false, ['deriveBits', 'deriveKey'])
}

function decode(text: string, length: number): Uint8Array<ArrayBuffer> {
  const isRight = /^[\w-]+$/.test(text) && text.length === Math.ceil((length * 4) / 3)
  if (isRight) {
    try {
      return new Uint8Array(base64urlnopad.decode(text))
    } catch {
      // Its last character has bits that encode nothing.
    }
  }
  throw new CairnError('INVALID_REQUEST', {
    message: 'This is not a link',
    hint: 'Copy the whole link, with the part after #.',
  })
}
