import { createHmac, randomBytes } from 'node:crypto'
import { CairnError } from '@cairn/protocol'
import type { Context } from '../context.ts'
import type { WebhookTable } from '../db/schema.ts'
import { openSealed, type SealUse, sealBytes, secretIdOf } from '../secrets/seal.ts'

const prefix = 'whsec_'
const secretBytes = 32

/** The owner of a secret: moved to another webhook, its seal cannot be opened. */
export type WebhookSubject = Pick<WebhookTable, 'id' | 'address'>
type Secrets = Pick<Context, 'secret' | 'secondarySecret'>

const useOf = ({ id, address }: WebhookSubject): SealUse => ({ purpose: 'webhook-secret', subject: [address, id] })

/** Creates a secret: its text for the receiver, and its seal for the database. */
export function createWebhookSecret(
  { secret }: Secrets,
  subject: WebhookSubject,
): { text: string } & Pick<WebhookTable, 'seal' | 'secret_id'> {
  const bytes = randomBytes(secretBytes)
  return { text: `${prefix}${bytes.toString('base64')}`, ...sealSecret(secret, subject, bytes) }
}

/** Seals the bytes of a secret. */
export function sealSecret(
  secret: Uint8Array,
  subject: WebhookSubject,
  bytes: Uint8Array,
): Pick<WebhookTable, 'seal' | 'secret_id'> {
  return { seal: sealBytes(secret, useOf(subject), bytes), secret_id: secretIdOf(secret) }
}

/** Opens the secret of a webhook. @throws CairnError INVALID_CONFIGURATION, DATA_DAMAGED */
export function openWebhookSecret(
  { secret, secondarySecret }: Secrets,
  webhook: WebhookSubject & Pick<WebhookTable, 'seal' | 'secret_id'>,
): Uint8Array {
  const own = [secret, secondarySecret].find((one) => one !== undefined && secretIdOf(one) === webhook.secret_id)
  if (own === undefined) throw otherSecret()
  try {
    return openSealed(own, useOf(webhook), webhook.seal)
  } catch (cause) {
    throw new CairnError('DATA_DAMAGED', {
      message: 'The secret of this webhook is damaged',
      hint: 'Remove the webhook and create a new one.',
      cause,
    })
  }
}

/** Refuses to start with a secret that does not open the secrets of webhooks. @throws CairnError INVALID_CONFIGURATION */
export async function requireWebhookSecret({
  db,
  secret,
  secondarySecret = secret,
}: Secrets & Pick<Context, 'db'>): Promise<void> {
  const known = [secret, secondarySecret].map(secretIdOf)
  const other = await db.read.selectFrom('webhook').select('id').where('secret_id', 'not in', known).executeTakeFirst()
  if (other !== undefined) throw otherSecret()
}

function otherSecret(): CairnError {
  return new CairnError('INVALID_CONFIGURATION', {
    message: 'The secrets of webhooks were sealed with a different secret',
    hint: 'The operator must restore the original secret (CAIRN_STORAGE_SECRET, or storage.key in CAIRN_HOME).',
  })
}

/**
 * Signs a message.
 * @param timestampSeconds since 1970
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export function signMessage(secret: Uint8Array, id: string, timestampSeconds: number, body: string): string {
  return `v1,${createHmac('sha256', secret).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`
}
