import { getDrive } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { type CallOptions, describeCall, openResponse } from '../request.ts'

/** How far a device's clock may be ahead of the service's, in ms. */
const maxAheadMs = 3_600_000

/**
 * Returns the time of this device in ms since 1970, or that of the service if the device's clock is ahead of it. What is deleted
 * because of its age is gone when the clock is corrected. A page of another origin cannot read the time of the service.
 * @param revision of the drive that the device knows, so that the response is short
 * @throws CairnError as `getDrive`
 */
export async function readTrustedNow(client: Client, revision: number, options: CallOptions): Promise<number> {
  const response = await openResponse(
    client,
    describeCall(client, getDrive, { query: { since: String(revision) } }, options),
  )
  await response.body?.cancel()
  const service = Date.parse(response.headers.get('date') ?? '')
  const own = Date.now()
  return own - service > maxAheadMs ? service : own
}
