import { eventLogSigner, writeEventLog } from '@cairn/crypto'
import { CairnError, eventTypes, maxEventRows } from '@cairn/protocol'
import type { Context } from '../context.ts'
import { deriveKey } from '../secrets/derive-key.ts'
import { findPosition, readEvents } from './read-events.ts'

/** Returns the seed of the key that signs event logs. */
function logSeed(secret: Uint8Array): Uint8Array {
  return deriveKey(secret, 'event log')
}

/** Returns the public key that signs event logs, as did:key. */
export function findEventSigner({ secret }: Pick<Context, 'secret'>): string {
  return eventLogSigner(logSeed(secret))
}

/**
 * Writes the stored events of an account as a signed log, up to the newest one when it starts. Reads a page at a time.
 * @throws CairnError UNAVAILABLE if events are removed meanwhile, because of their age
 */
export async function* exportEventLog(
  context: Pick<Context, 'db' | 'config' | 'clock' | 'secret'>,
  address: string,
): AsyncGenerator<Buffer, void, undefined> {
  const { config, clock, secret } = context
  const newest = await findPosition(context, address, 'latest')
  let after = await findPosition(context, address, undefined)
  const createdAt = new Date(clock.now()).toISOString()
  const log = writeEventLog({ network: config.networkName, address, createdAt }, logSeed(secret))
  yield Buffer.from(`${log.head}\n`)
  while (after < newest) {
    const limit = Math.min(maxEventRows, newest - after)
    const { events, missedEvents } = await readEvents(context, address, { after, types: eventTypes, limit })
    if (missedEvents > 0 || events.length === 0) {
      throw new CairnError('UNAVAILABLE', { message: 'The oldest events were removed during the export. Try again' })
    }
    const lines = events.map((event) => JSON.stringify(event))
    for (const line of lines) log.addEvent(line)
    after = Number(events.at(-1)?.cursor)
    yield Buffer.from(`${lines.join('\n')}\n`)
  }
  yield Buffer.from(`${log.seal(String(newest))}\n`)
}
