import { type AccountEvent, accountEventSchema, CairnError } from '@cairn/protocol'
import * as v from 'valibot'
import { isBytes } from '../local/is-bytes.ts'

/** Maximum difference between the clocks of sender and receiver, in seconds. */
const toleranceSeconds = 300
const secretPrefix = 'whsec_'
const signaturePattern = /^v1,([A-Za-z0-9+/]{43}=)$/

/** Headers of a request: those of `fetch`, or an object such as `request.headers` of Node. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Verifies a delivery of a webhook and returns its event. Process each `id` once: a delivery can arrive more than once.
 *
 * @param payload body of the request, unchanged
 * @param secret `whsec_…`, as returned when the webhook was created
 * @param nowMs time of the receiver. Defaults to its clock
 * @throws CairnError INVALID_SIGNATURE for a missing or wrong signature, or one that is older than 5 minutes;
 *   UNEXPECTED_RESPONSE for a signed delivery that is no event; INVALID_REQUEST for a body that was parsed
 * @see https://www.standardwebhooks.com
 */
export async function verifyWebhook(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  nowMs: number = Date.now(),
): Promise<AccountEvent> {
  if (typeof payload !== 'string' && !isBytes(payload)) {
    throw new CairnError('INVALID_REQUEST', {
      message: 'The payload must be the unchanged body of the request, as a text or bytes',
      hint: 'Read the body before the framework parses it, such as with express.raw({ type: "application/json" }).',
    })
  }
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signatures = readHeader(headers, 'webhook-signature').split(' ')
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw refused('The timestamp of the delivery is too old or too new')
  }
  const body = typeof payload === 'string' ? payload : new TextDecoder().decode(payload)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const key = await crypto.subtle.importKey(
    'raw',
    decodeBase64(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  for (const text of signatures) {
    const signature = signaturePattern.exec(text)?.[1]
    // Compares in constant time.
    if (signature !== undefined && (await crypto.subtle.verify('HMAC', key, decodeBase64(signature), signed))) {
      const event = v.safeParse(v.pipe(v.string(), v.parseJson(), accountEventSchema), body)
      if (event.success) return event.output
      throw new CairnError('UNEXPECTED_RESPONSE', {
        message: 'The delivery is signed, but is not an event that this version can read',
        hint: 'Use the newest version of the program.',
      })
    }
  }
  throw refused('The signature of the delivery does not match')
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (typeof value !== 'string' || value === '') throw refused(`The delivery has no header ${name}`)
  return value
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  let bytes = ''
  let cause: unknown
  try {
    bytes = atob(text)
  } catch (error) {
    cause = error
  }
  if (bytes === '') throw refused('The secret of the webhook is empty or not valid', cause)
  return Uint8Array.from(bytes, (letter) => letter.charCodeAt(0))
}

function refused(message: string, cause?: unknown): CairnError {
  return new CairnError('INVALID_SIGNATURE', {
    message,
    hint: 'Check the secret of this webhook and the clock, and pass the unchanged body and headers of the request.',
    cause,
  })
}
