import { type KeyEvent, listKeyEvents } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNetwork } from '../network/use-network.ts'
import { useSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import type { KnownPart } from './activity-item.ts'

/** Events of the key nodes that are fetched at first, and added per click. */
export const keyPageEvents = 100

const nothing: KnownPart<KeyEvent> = { events: [], oldest: undefined }

/** Whether an event is news for the account: its own openings and saved keys are not. */
export function isNews({ kind, address }: KeyEvent, account: string): boolean {
  if (kind === 'save' || kind === 'repair') return false
  return kind !== 'opened' || address !== account
}

/**
 * Returns what the key nodes report about the files of the account, newest first: who opened them, who was refused, and
 * what the account changed.
 * @param maxEvents number of events to look at; 0 requests none
 */
export function useKeyActivity(maxEvents: number) {
  const network = useNetwork()
  const client = useClient()
  const session = useSession()
  const hasKeyNodes = network.keyNodes !== undefined
  const account = session?.keySession?.address
  const query = useQuery({
    queryKey: ['key-activity', account, maxEvents],
    queryFn: async ({ signal }) => {
      const events: KeyEvent[] = []
      let count = 0
      for await (const event of listKeyEvents(client, { signal })) {
        if (isNews(event, account ?? '')) events.push(event)
        if (++count === maxEvents) return { events, oldest: event.at }
      }
      return { events, oldest: undefined }
    },
    placeholderData: (before) => before,
    enabled: hasKeyNodes && account !== undefined && maxEvents > 0,
  })
  const isAsked = hasKeyNodes && maxEvents > 0
  const { data, error, refetch, isFetching } = query
  const known: KnownPart<KeyEvent> = (isAsked ? data : undefined) ?? nothing
  return {
    known,
    error,
    refetch,
    isFetching,
    isPending: isAsked && account !== undefined && data === undefined && error === null,
    /** Whether the account has no session at the key nodes yet. */
    isConnectable: isAsked && session !== undefined && account === undefined,
  }
}
