import type { ActivityItem } from './activity-item.ts'
import { EventRow } from './EventRow.tsx'
import { KeyEventRow } from './KeyEventRow.tsx'

/** One line of the activity, from either log. */
export function ActivityItemRow({
  item,
  labelOf,
}: {
  item: ActivityItem
  /** Returns the name that the account gave an address. */
  labelOf: (address: string) => string | undefined
}) {
  return item.source === 'keys' ? <KeyEventRow event={item.event} labelOf={labelOf} /> : <EventRow event={item.event} />
}
