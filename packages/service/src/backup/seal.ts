import { CairnError } from '@cairn/protocol'
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption'

/** A new key pair for backups: the identity opens them, the recipient only creates them. */
export async function createBackupKey(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity()
  return { identity, recipient: await identityToRecipient(identity) }
}

/**
 * Prepares the encryption for recipients.
 * @throws CairnError INVALID_CONFIGURATION for none, or for one that is not an age recipient
 */
export function createSealer(recipients: readonly string[]): Sealer {
  const encrypter = new Encrypter()
  for (const [at, recipient] of recipients.entries()) {
    try {
      encrypter.addRecipient(recipient)
    } catch (cause) {
      // The text stays out of the message: it may be the identity, set by mistake.
      throw noRecipient(`Recipient ${at + 1} of CAIRN_BACKUP_RECIPIENTS is not an age recipient`, cause)
    }
  }
  if (recipients.length === 0) throw noRecipient('CAIRN_BACKUP_RECIPIENTS is empty')
  return (plain) => encrypter.encrypt(toWeb(plain))
}

/** Encrypts a stream in the age format. @see https://age-encryption.org/v1 */
export type Sealer = (plain: AsyncIterable<Uint8Array>) => Promise<AsyncIterable<Uint8Array>>

/** Decrypts a stream of the age format. Rejects changed and truncated ones. @throws CairnError BACKUP_KEY, BACKUP_DAMAGED */
export type Opener = (sealed: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array>

/**
 * Prepares the decryption with the identities of a file, as written by age-keygen or the command `backup key`.
 * @throws CairnError BACKUP_KEY when it contains none
 */
export function createOpener(identityFile: string): Opener {
  const identities = identityFile
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  const decrypter = new Decrypter()
  try {
    for (const identity of identities) decrypter.addIdentity(identity)
  } catch {
    throw new CairnError('BACKUP_KEY', { message: 'The identity file contains a line that is not an age identity' })
  }
  if (identities.length === 0) throw new CairnError('BACKUP_KEY', { message: 'The identity file is empty' })
  return async function* open(sealed) {
    let plain: AsyncIterable<Uint8Array>
    try {
      plain = await decrypter.decrypt(toWeb(sealed))
    } catch (error) {
      throw describeOpenError(error)
    }
    try {
      yield* plain
    } catch (error) {
      throw describeOpenError(error)
    }
  }
}

function describeOpenError(error: unknown): unknown {
  if (CairnError.is(error)) return error
  const isForOthers = error instanceof Error && /no identity matched/.test(error.message)
  if (isForOthers) return new CairnError('BACKUP_KEY', { cause: error })
  return new CairnError('BACKUP_DAMAGED', { message: 'An encrypted file of the backup was changed', cause: error })
}

function toWeb(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]()
  return new ReadableStream({
    async pull(controller) {
      const step = await iterator.next()
      if (step.done === true) controller.close()
      else controller.enqueue(step.value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

function noRecipient(message: string, cause?: unknown): CairnError {
  return new CairnError('INVALID_CONFIGURATION', {
    message,
    hint: 'Create a key with the command `backup key FILE` on another machine, keep the file there, and set CAIRN_BACKUP_RECIPIENTS to the printed recipient.',
    cause,
  })
}
