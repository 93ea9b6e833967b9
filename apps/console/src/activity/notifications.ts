import { type AccountEvent, type KeyEvent, listEvents, listKeyEvents } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import * as v from 'valibot'
import { openKeptList } from '../browser/kept-list.ts'
import { useNetwork } from '../network/use-network.ts'
import { getSession, useSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { type ActivityItem, mergeActivity } from './activity-item.ts'
import { notifiedTypes } from './event-groups.ts'
import { findUsesByOthers } from './find-uses-by-others.ts'

/** How often new events are asked for while the page is visible, in ms: of the storage service, of the key nodes. */
const askMs = 30_000
const askNodesMs = 60_000
/** Maximum number of events that the bell lists. */
const maxListed = 50

/**
 * The events that an account has seen in this browser: the newest event of the service, and the time of the newest of the nodes.
 */
const list = openKeptList(
  'cairn.seen-events',
  v.object({
    account: v.pipe(v.string(), v.maxLength(80)),
    cursor: v.pipe(v.number(), v.safeInteger()),
    at: v.optional(v.pipe(v.number(), v.safeInteger())),
  }),
  20,
)
type Seen = { cursor: number; at?: number | undefined }
const listeners = new Set<() => void>()

function findSeen(account: string | undefined): Seen | undefined {
  return list.read().find((one) => one.account === account)
}

/** Notes that the user has seen all events up to these: the cursor of the service, the time of the key nodes in ms. */
export function markAllSeen({ cursor = -1, at }: Partial<Seen>): void {
  const account = getSession()?.address
  if (account === undefined) return
  const before = findSeen(account)
  const isNewer = cursor > (before?.cursor ?? -1)
  const isLater = at !== undefined && at > (before?.at ?? -1)
  if (!isNewer && !isLater) return
  const seen = {
    account,
    cursor: Math.max(cursor, before?.cursor ?? -1),
    ...(at === undefined && before?.at === undefined ? {} : { at: Math.max(at ?? -1, before?.at ?? -1) }),
  }
  list.write([...list.read().filter((one) => one.account !== account), seen])
  for (const listener of listeners) listener()
}

const noEvents: readonly AccountEvent[] = []
const noKeyEvents: readonly KeyEvent[] = []

/** The events of the bell: those that others caused or that need the owner, newest first, and how many are unread. */
export function useNotifications(): { items: ActivityItem[]; unread: number; markSeen(): void } {
  const client = useClient()
  const session = useSession()
  const { keyNodes } = useNetwork()
  const account = session?.address
  const stored = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => JSON.stringify(findSeen(account)),
  )
  const { data } = useQuery({
    queryKey: ['notifications', account],
    queryFn: async ({ signal }) => {
      const latest = Number((await listEvents(client, { after: 'latest', limit: 1 }, { signal })).cursor)
      // On the first visit nothing is unread.
      if (findSeen(account) === undefined) markAllSeen({ cursor: latest })
      const after = String(Math.max(0, latest - 1000))
      const { events } = await listEvents(client, { after, types: notifiedTypes, limit: 1000 }, { signal })
      return { events: events.reverse().slice(0, maxListed), newest: latest }
    },
    refetchInterval: askMs,
    refetchOnWindowFocus: true,
    enabled: account !== undefined,
  })
  const self = session?.keySession?.address
  const { data: keyEvents } = useQuery({
    queryKey: ['key-notifications', self],
    queryFn: async ({ signal }) => {
      const found = await findUsesByOthers(listKeyEvents(client, { signal }), self)
      if (findSeen(account)?.at === undefined) markAllSeen({ at: found[0]?.at ?? 0 })
      return found.slice(0, maxListed)
    },
    refetchInterval: askNodesMs,
    refetchOnWindowFocus: true,
    enabled: keyNodes !== undefined && account !== undefined && self !== undefined,
  })
  const seen: Seen | undefined = stored === undefined ? undefined : findSeen(account)
  const [events, ofNodes] = [data?.events ?? noEvents, keyEvents ?? noKeyEvents]
  const unread =
    (seen === undefined ? 0 : events.filter(({ cursor }) => Number(cursor) > seen.cursor).length) +
    (seen?.at === undefined ? 0 : ofNodes.filter(({ at }) => at > (seen.at ?? 0)).length)
  return {
    items: mergeActivity({ events, oldest: undefined }, { events: ofNodes, oldest: undefined }).slice(0, maxListed),
    unread,
    markSeen: () =>
      markAllSeen({ cursor: data?.newest ?? 0, ...(ofNodes[0] === undefined ? {} : { at: ofNodes[0].at }) }),
  }
}
