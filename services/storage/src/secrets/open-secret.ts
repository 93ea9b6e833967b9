import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { keepSecretFile, readSecretFile } from '@cairn/service'
import { storageSecretBytes } from '../settings/secret-settings.ts'

/** Name of the secret's file below CAIRN_HOME. */
export const secretFileName = 'storage.key'

/**
 * Returns the secret of the storage service: the configured one, or the one in its home, which the first start
 * creates, readable only by its owner. Replicas that share a database must use the same one.
 * @throws CairnError INVALID_CONFIGURATION for a file that holds no secret, or that others may read
 */
export async function openSecret(config: { home: string; secret: Uint8Array | undefined }): Promise<Uint8Array> {
  return (
    (await findSecret(config)) ??
    parseSecret(config.home, await keepSecretFile(config.home, secretFileName, randomBytes(storageSecretBytes)))
  )
}

/**
 * Returns the configured secret, or the one in its home; undefined when there is none yet.
 * @throws CairnError INVALID_CONFIGURATION for a file that holds no secret, or that others may read
 */
export async function findSecret(config: {
  home: string
  secret: Uint8Array | undefined
}): Promise<Uint8Array | undefined> {
  if (config.secret !== undefined) return config.secret
  const text = await readSecretFile(join(config.home, secretFileName))
  return text === undefined ? undefined : parseSecret(config.home, text)
}

function parseSecret(home: string, text: string): Uint8Array {
  const path = join(home, secretFileName)
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `${path} does not contain a secret`,
      hint: 'Restore it from a backup. Without it, the service cannot open its name keys.',
    })
  }
  return Buffer.from(text, 'hex')
}
