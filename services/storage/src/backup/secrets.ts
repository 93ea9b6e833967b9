import { CairnError } from '@cairn/protocol'
import { damaged, lines } from '@cairn/service/backup'
import * as v from 'valibot'
import type { StorageConfig } from '../config.ts'
import { findSecret, secretFileName } from '../secrets/open-secret.ts'

/** Secrets without which the rows cannot be used, in hex: they seal name keys, and access keys of S3 derive from them. */
export type Secrets = { readonly storageSecret: string; readonly secondarySecret?: string | undefined }

const hex = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const secretsSchema = v.object({ storageSecret: hex, secondarySecret: v.optional(hex) })

/** Reads the secrets of this service. @throws CairnError INVALID_CONFIGURATION */
export async function readSecrets(config: StorageConfig): Promise<Secrets> {
  const secret = await findSecret(config)
  if (secret === undefined) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `There is no secret: CAIRN_STORAGE_SECRET is empty, and ${config.home} has no ${secretFileName}`,
      hint: 'Run the command with the settings of the service.',
    })
  }
  const storageSecret = toHex(secret)
  const { secondarySecret } = config
  return secondarySecret === undefined ? { storageSecret } : { storageSecret, secondarySecret: toHex(secondarySecret) }
}

export function encodeSecrets(secrets: Secrets): AsyncIterable<Uint8Array> {
  return lines([`${JSON.stringify(secrets)}\n`])
}

/** @throws CairnError BACKUP_DAMAGED */
export function parseSecrets(bytes: Buffer, name: string): Secrets {
  let parsed: unknown
  try {
    parsed = JSON.parse(bytes.toString())
  } catch {
    // The cause would contain a part of the text.
    throw damaged(name, 'cannot be parsed')
  }
  const result = v.safeParse(secretsSchema, parsed)
  if (!result.success) throw damaged(name, 'cannot be parsed')
  return result.output
}

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
