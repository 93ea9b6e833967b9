import { type AccountEvent, listEvents } from '@cairn/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import type { EventGroup } from './activity-search.ts'
import { typesOf } from './event-groups.ts'

/** Events per page. Each event of an account has the next number, so a page is a range of numbers. */
const pageEvents = 200
/** A filtered page may cover more: few events of the range fit. */
const filteredRange = 1000

type Page = { events: AccountEvent[]; before: number }

/** Returns the events of the account, newest first, page by page. */
export function useActivity(group: EventGroup | undefined) {
  const client = useClient()
  const address = useSession()?.address
  const range = group === undefined ? pageEvents : filteredRange
  return useInfiniteQuery({
    queryKey: ['activity', address, group],
    queryFn: async ({ pageParam, signal }): Promise<Page> => {
      const end = pageParam ?? Number((await listEvents(client, { after: 'latest', limit: 1 }, { signal })).cursor)
      const start = Math.max(0, end - range)
      const filter = { after: String(start), limit: range, ...(group === undefined ? {} : { types: typesOf(group) }) }
      const { events, missedEvents } = await listEvents(client, filter, { signal })
      return {
        events: events.filter(({ cursor }) => Number(cursor) <= end).reverse(),
        // Older events are no longer stored.
        before: missedEvents > 0 ? 0 : start,
      }
    },
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ before }) => (before > 0 ? before : undefined),
    enabled: address !== undefined,
  })
}
