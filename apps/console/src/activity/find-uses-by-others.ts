import type { KeyEvent } from '@cairn/sdk'

/** Confirmed events to look at: more are on the page of activity. */
const maxConfirmed = 100
/** Unconfirmed events to skip: strangers can add some, and each takes a part of a request. */
const maxUnconfirmed = 2_000

/**
 * Returns the latest openings and refusals by other addresses, newest first, as at least three key nodes report them: two
 * nodes could invent the others, so the page lists them and the bell does not ring.
 */
export async function findUsesByOthers(events: AsyncIterable<KeyEvent>, self: string | undefined): Promise<KeyEvent[]> {
  const found: KeyEvent[] = []
  let confirmedCount = 0
  let unconfirmedCount = 0
  for await (const event of events) {
    if (!event.isConfirmed) {
      if (++unconfirmedCount >= maxUnconfirmed) break
      continue
    }
    if ((event.kind === 'opened' || event.kind === 'denied') && event.address !== self) found.push(event)
    if (++confirmedCount >= maxConfirmed) break
  }
  return found
}
