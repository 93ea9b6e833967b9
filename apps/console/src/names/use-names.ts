import { getName, listNameHistory, listNames, resolveName } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { takeFirst } from '../network/take-first.ts'
import type { Session } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'

/** Versions that the page shows; the service keeps few more. */
const versionsMost = 50

/** The account's names, newest first. */
export function useNames({ address }: Session) {
  const client = useClient()
  return useQuery({
    queryKey: ['names', address],
    queryFn: ({ signal }) => Array.fromAsync(listNames(client, { signal })),
  })
}

/** One name of the account, and what it pointed to before; each record is verified in this browser. */
export function useName({ address }: Session, key: string) {
  const client = useClient()
  return useQuery({
    queryKey: ['names', address, key],
    queryFn: async ({ signal }) => ({
      state: await getName(client, key, { signal }),
      history: await takeFirst(listNameHistory(client, key, { signal }), versionsMost),
    }),
  })
}

/** What everybody sees who opens the name, verified by the name itself. Only for names that were published. */
export function useResolvedName({ address }: Session, name: string, isPublished: boolean) {
  const client = useClient()
  return useQuery({
    queryKey: ['names', address, name, 'resolved'],
    queryFn: ({ signal }) => resolveName(client, name, { recursive: false, signal }),
    enabled: isPublished,
  })
}
