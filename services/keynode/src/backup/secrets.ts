import { damaged, lines, parseJson } from '@cairn/service/backup'
import * as v from 'valibot'
import type { KeyNodeConfig } from '../config.ts'

/** Secrets without which no shard in the rows can be opened, in hex. */
export type Secrets = { readonly secret: string; readonly secondarySecret?: string | undefined }

const hex = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const secretsSchema = v.object({ secret: hex, secondarySecret: v.optional(hex) })

export function encodeSecrets({
  secret,
  secondarySecret,
}: Pick<KeyNodeConfig, 'secret' | 'secondarySecret'>): AsyncIterable<Uint8Array> {
  const both = secondarySecret === undefined ? {} : { secondarySecret: toHex(secondarySecret) }
  const secrets: Secrets = { secret: toHex(secret), ...both }
  return lines([`${JSON.stringify(secrets)}\n`])
}

/** @throws CairnError BACKUP_DAMAGED */
export function parseSecrets(bytes: Buffer, name: string): Secrets {
  let parsed: unknown
  try {
    parsed = parseJson(bytes.toString(), name)
  } catch {
    // The cause would contain a part of the text.
    throw damaged(name, 'cannot be parsed')
  }
  const result = v.safeParse(secretsSchema, parsed)
  if (!result.success) throw damaged(name, 'cannot be parsed')
  return result.output
}

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
