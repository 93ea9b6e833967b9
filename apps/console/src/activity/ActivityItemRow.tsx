import { EventRow } from './EventRow.tsx'
import type { ActivityLine } from './group-proofs.ts'
import { KeyEventRow } from './KeyEventRow.tsx'

/** One line of the activity, from either log. */
export function ActivityItemRow({
  line: { item, count },
  labelOf,
}: {
  line: ActivityLine
  /** Returns the name that the account gave an address. */
  labelOf: (address: string) => string | undefined
}) {
  return item.source === 'keys' ? (
    <KeyEventRow event={item.event} labelOf={labelOf} />
  ) : (
    <EventRow event={item.event} count={count} />
  )
}
