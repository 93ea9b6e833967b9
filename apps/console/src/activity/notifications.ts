import { type AccountEvent, listEvents } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import * as v from 'valibot'
import { getSession, useSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { openKeptList } from '../ui/kept-list.ts'
import { notifiedTypes } from './event-groups.ts'

/** How often new events are asked for while the page is visible, in ms. */
const askMs = 30_000
/** Maximum number of events that the bell lists. */
const maxListed = 50

/** The newest event that each account has seen in this browser. */
const list = openKeptList(
  'cairn.seen-events',
  v.object({ account: v.pipe(v.string(), v.maxLength(80)), cursor: v.pipe(v.number(), v.safeInteger()) }),
  20,
)
const listeners = new Set<() => void>()

function readSeen(account: string | undefined): number | undefined {
  return list.read().find((one) => one.account === account)?.cursor
}

/** Notes that the user has seen all events up to this one. */
export function markAllSeen(cursor: number): void {
  const account = getSession()?.address
  if (account === undefined || (readSeen(account) ?? -1) >= cursor) return
  list.write([...list.read().filter((one) => one.account !== account), { account, cursor }])
  for (const listener of listeners) listener()
}

/** What the bell shows: events that others caused or that need the owner, newest first, and how many are unread. */
export function useNotifications(): { events: AccountEvent[]; unread: number; newest: number } {
  const client = useClient()
  const account = useSession()?.address
  const seen = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => readSeen(account),
  )
  const { data } = useQuery({
    queryKey: ['notifications', account],
    queryFn: async ({ signal }) => {
      const latest = Number((await listEvents(client, { after: 'latest', limit: 1 }, { signal })).cursor)
      // On the first visit nothing is unread.
      if (readSeen(account) === undefined) markAllSeen(latest)
      const after = String(Math.max(0, latest - 1000))
      const { events } = await listEvents(client, { after, types: notifiedTypes, limit: 1000 }, { signal })
      return { events: events.reverse().slice(0, maxListed), newest: latest }
    },
    refetchInterval: askMs,
    refetchOnWindowFocus: true,
    enabled: account !== undefined,
  })
  const events = data?.events ?? []
  const unread = seen === undefined ? 0 : events.filter(({ cursor }) => Number(cursor) > seen).length
  return { events, unread, newest: data?.newest ?? 0 }
}
