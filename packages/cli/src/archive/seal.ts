import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { CairnError, signMessage } from '@cairn/sdk'
import type { Sealed } from './format.ts'

/** Encrypts and decrypts the secrets of one archive. */
export type Seal = {
  /** @param id the item of the secret: a sealed value does not open under another id */
  close(secret: string, id: string): Sealed
  /** @throws CairnError INVALID_ARCHIVE if the value was changed or another wallet sealed it */
  open(sealed: Sealed, id: string): string
}

const algorithm = 'aes-256-gcm'
const tagBytes = 16

/**
 * Derives the seal from a signature, so that only the wallet opens it, without a password. Signatures are deterministic
 * (RFC 6979), so the same wallet derives the same seal on every machine.
 * @param salt 32 random bytes as hex, stored in the manifest
 */
export function createSeal(privateKey: string, account: string, salt: string): Seal {
  const signature = signMessage(
    privateKey,
    [
      'Cairn archive',
      `Account: ${account}`,
      `Archive: ${salt}`,
      'Whoever has this signature can open the file keys in this archive. Sign it only to export or import your own account.',
    ].join('\n'),
  )
  const key = Buffer.from(
    hkdfSync('sha256', Buffer.from(signature.slice(2), 'hex'), Buffer.from(salt, 'hex'), 'cairn-archive/1', 32),
  )
  return {
    close(secret, id) {
      const iv = randomBytes(12)
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes })
      cipher.setAAD(Buffer.from(id))
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return { iv: iv.toString('base64'), ciphertext: ciphertext.toString('base64') }
    },
    open({ iv, ciphertext }, id) {
      const bytes = Buffer.from(ciphertext, 'base64')
      try {
        const decipher = createDecipheriv(algorithm, key, Buffer.from(iv, 'base64'), { authTagLength: tagBytes })
        decipher.setAAD(Buffer.from(id))
        decipher.setAuthTag(bytes.subarray(-tagBytes))
        return Buffer.concat([decipher.update(bytes.subarray(0, -tagBytes)), decipher.final()]).toString('utf8')
      } catch (cause) {
        throw new CairnError('INVALID_ARCHIVE', {
          message: `Cannot open the sealed key of ${id}`,
          hint: `Use the wallet of ${account}, which exported it. If you used that wallet, the archive was modified.`,
          details: { id },
          cause,
        })
      }
    },
  }
}
