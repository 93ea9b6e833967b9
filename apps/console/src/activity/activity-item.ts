import type { AccountEvent } from '@cairn/protocol'
import type { KeyEvent } from '@cairn/sdk'

/** One line of the activity: from the log of the storage service, or from the key nodes. */
export type ActivityItem = { id: string; at: number } & (
  | { source: 'account'; event: AccountEvent }
  | { source: 'keys'; event: KeyEvent }
)

/** The known part of a log: events, newest first, and the time of the last one if there are older ones. */
export type KnownPart<Event> = { events: readonly Event[]; oldest: number | undefined }

function accountItem(event: AccountEvent): ActivityItem {
  return { source: 'account', id: event.id, at: Date.parse(event.timestamp), event }
}

export function keyItem(event: KeyEvent): ActivityItem {
  const { kind, cid, address, at, addresses, nodes } = event
  return { source: 'keys', id: [kind, cid, address, at, nodes.join(''), ...addresses].join(' '), at, event }
}

/** Merges two logs, newest first. What is older than the known part of either waits, so that nothing appears above later. */
export function mergeActivity(account: KnownPart<AccountEvent>, keys: KnownPart<KeyEvent>): ActivityItem[] {
  const from = Math.max(account.oldest ?? 0, keys.oldest ?? 0)
  return [...nameRevokedKeys(account.events).map(accountItem), ...keys.events.map(keyItem)]
    .filter(({ at }) => at >= from)
    .sort((a, b) => b.at - a.at)
}

/**
 * Names the revoked API keys whose events are from before they had names, by the events of their creation. Without it, the end of
 * a session of the console reads like that of a key that users made.
 */
function nameRevokedKeys(events: readonly AccountEvent[]): readonly AccountEvent[] {
  const isNameless = ({ type, data }: AccountEvent) => type === 'api_key.revoked' && data['name'] === undefined
  if (!events.some(isNameless)) return events
  const names = new Map(
    events.flatMap(({ type, data }) => (type === 'api_key.created' ? [[data['keyId'], data['name']] as const] : [])),
  )
  return events.map((event) => {
    const name = isNameless(event) ? names.get(event.data['keyId']) : undefined
    return name === undefined ? event : { ...event, data: { ...event.data, name } }
  })
}
