import { CairnError, getName, listNameHistory, listNames, resolveName } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { takeFirst } from '../network/take-first.ts'
import type { Session } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { type DeviceName, findDeviceName, listDeviceNames, toNameState } from './device-names.ts'

/** Versions that the page shows; the service keeps few more. */
const versionsMost = 50

/** The account's names, newest first. */
export function useNames({ address }: Session) {
  const client = useClient()
  return useQuery({
    queryKey: ['names', address],
    queryFn: async ({ signal }) => {
      const [listed, own] = await Promise.all([
        Array.fromAsync(listNames(client, { signal })),
        listDeviceNames(address).catch(noDeviceNames),
      ])
      // Those of this device that were never published are known here alone.
      const unheard = own.filter(({ name }) => !listed.some((other) => other.name === name))
      return [...unheard.map(toNameState), ...listed]
    },
  })
}

/** One name of the account, and what it pointed to before; each record is verified in this browser. */
export function useName({ address }: Session, key: string) {
  const client = useClient()
  return useQuery({
    queryKey: ['names', address, key],
    queryFn: async ({ signal }) => {
      try {
        const state = await getName(client, key, { signal })
        return { state, history: await takeFirst(listNameHistory(client, key, { signal }), versionsMost) }
      } catch (error) {
        const own = CairnError.is(error, 'NAME_NOT_FOUND') ? await findDeviceName(address, key) : undefined
        if (own === undefined) throw error
        return { state: toNameState(own), history: [] }
      }
    },
  })
}

/** Which names of the account can be published from this device. */
export function useDeviceNames(address: string | undefined): ReadonlySet<string> {
  const { data } = useQuery({
    queryKey: ['names', address, 'on-device'],
    queryFn: async () => (await listDeviceNames(address ?? '').catch(noDeviceNames)).map(({ name }) => name),
    enabled: address !== undefined,
    networkMode: 'always',
  })
  return useMemo(() => new Set(data), [data])
}

/** A browser that keeps nothing has no names of its own; what is on the account's list is shown all the same. */
function noDeviceNames(error: unknown): DeviceName[] {
  if (error instanceof DOMException) return []
  throw error
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
