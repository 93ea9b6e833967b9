import { CairnError, eventReason, type Reason, type ReasonFacts } from '@cairn/protocol'
import { requestOutside } from '@cairn/service'
import { signMessage } from './webhook-secret.ts'

/** Time limit of a delivery, until the receiver's status arrives. */
const deliveryTimeoutMs = 10_000

/** A message to a receiver. */
export type Message = { id: string; body: string }

/** Why an attempt failed. `status` is null if no response arrived. */
export type Failure = { status: number | null; error: string; errorFacts: ReasonFacts }

/** Result of an attempt. `error` is null for a success. */
export type Outcome = { status: number; error: null } | Failure

/**
 * Sends a signed message once. The body of the response is not read: its status says everything, and users must not read
 * responses of other servers through the service.
 * @param signal aborts the attempt
 * @throws the reason of `signal` when it aborts; any other failure is an outcome
 */
export async function sendMessage(
  target: { url: string; secret: Uint8Array; allowsPrivate: boolean },
  { id, body }: Message,
  now: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const timestampSeconds = Math.floor(now / 1000)
  const timeout = AbortSignal.timeout(deliveryTimeoutMs)
  try {
    const response = await requestOutside(new URL(target.url), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'cairn-webhooks/1',
        'webhook-id': id,
        'webhook-timestamp': String(timestampSeconds),
        'webhook-signature': signMessage(target.secret, id, timestampSeconds, body),
      },
      body,
      signal: AbortSignal.any([signal, timeout]),
      allowsPrivate: target.allowsPrivate,
    })
    response.destroy()
    return judgeStatus(response.statusCode ?? 0)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (timeout.aborted) {
      return fail(null, eventReason('RECEIVER_SLOW', { seconds: deliveryTimeoutMs / 1000 }))
    }
    return fail(null, describe(error))
  }
}

/** Returns the result of an attempt that a receiver answered. */
export function judgeStatus(status: number): Outcome {
  if (status >= 200 && status < 300) return { status, error: null }
  const isRedirect = status >= 300 && status < 400
  return fail(status, eventReason(isRedirect ? 'RECEIVER_REDIRECTS' : 'RECEIVER_STATUS', { status }))
}

function fail(status: number | null, { reason, reasonFacts }: Reason): Failure {
  return { status, error: reason, errorFacts: reasonFacts }
}

/** Contains only the code of a network error: its text can name private addresses. */
function describe(error: unknown): Reason {
  if (CairnError.is(error)) return { reason: error.message, reasonFacts: { code: error.code } }
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? eventReason('RECEIVER_NETWORK_ERROR', { error: error.code })
    : eventReason('RECEIVER_UNREACHABLE')
}
