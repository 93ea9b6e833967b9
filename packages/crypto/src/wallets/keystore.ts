import { CairnError } from '@cairn/protocol'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, concatBytes, hexToBytes, randomBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { deriveByScrypt } from '#scrypt'
import { isEqual } from '../is-equal.ts'
import { keyBytes, type Wallet, walletFromBytes, walletFromPrivateKey } from './wallet.ts'

/** Default cost of the password: 2^17 as in geth and ethers. */
const defaultLogN = 17
/** Maximum cost that a file may request: 1 GiB of memory, ten million rounds. */
const maxMemoryBytes = 2 ** 30
const maxRounds = 10_000_000

/** `logN`: cost of scrypt as a power of two. Defaults to 17. Tests may use less. */
export type KeystoreOptions = { logN?: number }

/**
 * Encrypts a private key with a password.
 * @returns the text of a version 3 keystore, which ethers and geth open
 * @see https://ethereum.org/developers/docs/data-structures-and-encoding/web3-secret-storage/
 * @throws CairnError INVALID_PRIVATE_KEY
 */
export async function encryptKeystore(
  privateKey: string,
  password: string,
  { logN = defaultLogN }: KeystoreOptions = {},
): Promise<string> {
  const key = keyBytes(privateKey)
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const params = { dklen: 32, n: 2 ** logN, r: 8, p: 1, salt: bytesToHex(salt) }
  const derived = await deriveByScrypt(passwordBytes(password), salt, { N: params.n, r: params.r, p: params.p })
  const ciphertext = await aesCtr(derived.subarray(0, 16), iv, key)
  return JSON.stringify({
    version: 3,
    id: crypto.randomUUID(),
    address: walletFromPrivateKey(privateKey).address.slice(2).toLowerCase(),
    crypto: {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: bytesToHex(iv) },
      ciphertext: bytesToHex(ciphertext),
      kdf: 'scrypt',
      kdfparams: params,
      mac: bytesToHex(keccak_256(concatBytes(derived.subarray(16, 32), ciphertext))),
    },
  })
}

/**
 * Decrypts a version 3 keystore.
 * @throws CairnError INVALID_KEYSTORE for a wrong password, or a changed or foreign file
 */
export async function decryptKeystore(json: string, password: string): Promise<Wallet> {
  const { cipher, iv, ciphertext, mac, derive } = parseKeystore(json)
  if (cipher !== 'aes-128-ctr') throw invalid('its cipher is not supported')
  const derived = await derive(passwordBytes(password))
  if (!isEqual(keccak_256(concatBytes(derived.subarray(16, 32), ciphertext)), mac))
    throw new CairnError('INVALID_KEYSTORE')
  return walletFromBytes(await aesCtr(derived.subarray(0, 16), iv, ciphertext))
}

type Parsed = {
  cipher: string
  iv: Uint8Array
  ciphertext: Uint8Array
  mac: Uint8Array
  derive(password: Uint8Array): Promise<Uint8Array>
}

function parseKeystore(json: string): Parsed {
  if (json.length > 65_536) throw invalid('it is too long')
  const file = lowerKeys(parseJson(json))
  if (file['version'] !== 3) throw invalid('it is not of version 3')
  const box = lowerKeys(file['crypto'])
  const params = lowerKeys(box['kdfparams'])
  const salt = hex(params['salt'])
  if (params['dklen'] !== 32) throw invalid('its key length is not supported')
  return {
    cipher: String(box['cipher']),
    iv: hex(lowerKeys(box['cipherparams'])['iv'], 16),
    ciphertext: hex(box['ciphertext'], 32),
    mac: hex(box['mac'], 32),
    derive: derivation(String(box['kdf']), params, salt),
  }
}

function derivation(kdf: string, params: Record<string, unknown>, salt: Uint8Array): Parsed['derive'] {
  if (kdf === 'scrypt') {
    const [N, r, p] = [whole(params['n']), whole(params['r']), whole(params['p'])]
    if (N < 2 || (N & (N - 1)) !== 0 || 128 * N * r * p > maxMemoryBytes)
      throw invalid('its scrypt cost is out of range')
    return (password) => deriveByScrypt(password, salt, { N, r, p })
  }
  if (kdf === 'pbkdf2' && params['prf'] === 'hmac-sha256') {
    const c = whole(params['c'])
    if (c > maxRounds) throw invalid('it requires too many rounds')
    return (password) => deriveByPbkdf2(password, salt, c)
  }
  throw invalid('its key derivation is not supported')
}

async function deriveByPbkdf2(password: Uint8Array, salt: Uint8Array, iterations: number): Promise<Uint8Array> {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(password), 'PBKDF2', false, ['deriveBits'])
  const params = { name: 'PBKDF2', hash: 'SHA-256', salt: new Uint8Array(salt), iterations }
  return new Uint8Array(await crypto.subtle.deriveBits(params, key, 256))
}

async function aesCtr(key: Uint8Array, iv: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', new Uint8Array(key), 'AES-CTR', false, ['encrypt'])
  const counter = new Uint8Array(iv)
  return new Uint8Array(
    await crypto.subtle.encrypt({ name: 'AES-CTR', counter, length: 128 }, imported, new Uint8Array(data)),
  )
}

/** As in ethers, so that the same characters from different keyboards are one password. */
function passwordBytes(password: string): Uint8Array {
  return utf8ToBytes(password.normalize('NFKC'))
}

/** Both spellings of the keys are in use: `crypto` and `Crypto`. */
function lowerKeys(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw invalid('a field is missing')
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toLowerCase(), inner]))
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new CairnError('INVALID_KEYSTORE', { message: 'The wallet file is not JSON', cause })
  }
}

function hex(value: unknown, lengthBytes?: number): Uint8Array {
  const text = typeof value === 'string' ? value.replace(/^0x/, '') : ''
  if (!/^([0-9a-fA-F]{2})+$/.test(text)) throw invalid('a field is not hexadecimal')
  const bytes = hexToBytes(text)
  if (lengthBytes !== undefined && bytes.length !== lengthBytes) throw invalid('a field has the wrong length')
  return bytes
}

function whole(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) throw invalid('a number is out of range')
  return value
}

function invalid(why: string): CairnError {
  return new CairnError('INVALID_KEYSTORE', { message: `Cannot open the wallet file: ${why}` })
}
