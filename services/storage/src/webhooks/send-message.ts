import { CairnError } from '@cairn/protocol'
import { requestOutside } from '@cairn/service'
import { signMessage } from './webhook-secret.ts'

/** Time limit of a delivery, until the receiver's status arrives. */
export const deliveryTimeoutMs = 10_000

/** A message to a receiver. */
export type Message = { id: string; body: string }

/** Result of an attempt. `error` is null for a success; `status` is null if no response arrived. */
export type Outcome = { status: number | null; error: string | null }

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
    return judge(response.statusCode ?? 0)
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (timeout.aborted) {
      return { status: null, error: `The receiver did not respond within ${deliveryTimeoutMs / 1000} seconds` }
    }
    return { status: null, error: describe(error) }
  }
}

function judge(status: number): Outcome {
  if (status >= 200 && status < 300) return { status, error: null }
  const isRedirect = status >= 300 && status < 400
  return {
    status,
    error: `The receiver responded with status ${status}${isRedirect ? ', redirects are not followed' : ''}`,
  }
}

/** Contains only the code of a network error: its text can name private addresses. */
function describe(error: unknown): string {
  if (CairnError.is(error)) return error.message
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
  return `The receiver could not be reached${code}`
}
