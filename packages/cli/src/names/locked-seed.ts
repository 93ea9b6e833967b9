import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto'
import { CairnError } from '@cairn/sdk'

/**
 * The seed of a key, encrypted with a password; all parts in base64. Bound to the name, so that files cannot be
 * swapped.
 */
export type LockedSeed = { kdf: 'scrypt'; logN: number; salt: string; iv: string; ciphertext: string }

/** Cost of the password, as for the wallet. A file may request less, but not more. */
const maxLogN = 17
const algorithm = 'aes-256-gcm'
const tagBytes = 16

/** Encrypts a seed with a password. */
export async function lockSeed(seed: Uint8Array, name: string, password: string, logN = maxLogN): Promise<LockedSeed> {
  const [salt, iv] = [randomBytes(32), randomBytes(12)]
  const cipher = createCipheriv(algorithm, await deriveKey(password, salt, logN), iv, { authTagLength: tagBytes })
  cipher.setAAD(Buffer.from(name))
  const ciphertext = Buffer.concat([cipher.update(seed), cipher.final(), cipher.getAuthTag()])
  const [saltText, ivText, text] = [salt, iv, ciphertext].map((bytes) => bytes.toString('base64'))
  return { kdf: 'scrypt', logN, salt: saltText ?? '', iv: ivText ?? '', ciphertext: text ?? '' }
}

/**
 * Decrypts the result of {@link lockSeed}.
 * @throws CairnError INVALID_KEYSTORE for a wrong password or a changed file
 */
export async function unlockSeed(locked: LockedSeed, name: string, password: string): Promise<Uint8Array> {
  try {
    if (!Number.isInteger(locked.logN) || locked.logN < 1 || locked.logN > maxLogN) throw new Error('its cost')
    const [salt, iv, bytes] = [locked.salt, locked.iv, locked.ciphertext].map((text) => Buffer.from(text, 'base64'))
    if (salt === undefined || iv === undefined || bytes === undefined) throw new Error('its parts')
    const key = await deriveKey(password, salt, locked.logN)
    const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(name))
    decipher.setAuthTag(bytes.subarray(-tagBytes))
    return new Uint8Array(Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()]))
  } catch (cause) {
    throw new CairnError('INVALID_KEYSTORE', { cause })
  }
}

function deriveKey(password: string, salt: Buffer, logN: number): Promise<Buffer> {
  const options: ScryptOptions = { N: 2 ** logN, r: 8, p: 1, maxmem: 2 ** 28 }
  return new Promise((resolve, reject) =>
    scrypt(password.normalize('NFKC'), salt, 32, options, (error, key) => (error ? reject(error) : resolve(key))),
  )
}
