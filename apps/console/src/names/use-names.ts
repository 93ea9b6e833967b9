import { maxNameHistory } from '@cairn/protocol'
import { CairnError, getName, listNameHistory, listNames, resolveName } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { collectFirst } from '../network/collect-first.ts'
import type { Session } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { type DeviceName, findDeviceName, listDeviceNames, toNameState } from './device-names.ts'

/** Returns the names of the account, newest first. */
export function useNames({ address }: Session) {
  const client = useClient()
  return useQuery({
    queryKey: ['names', address],
    queryFn: async ({ signal }) => {
      const [listed, own] = await Promise.all([
        Array.fromAsync(listNames(client, { signal })),
        listDeviceNames(address).catch(noDeviceNames),
      ])
      // Unpublished names of this device are known only here.
      const unheard = own.filter(({ name }) => !listed.some((other) => other.name === name))
      return [...unheard.map(toNameState), ...listed]
    },
  })
}

/** Returns one name of the account and its past targets; each record is verified in this browser. */
export function useName({ address }: Session, key: string) {
  const client = useClient()
  return useQuery({
    queryKey: ['names', address, key],
    queryFn: async ({ signal }) => {
      try {
        const state = await getName(client, key, { signal })
        return { state, history: await collectFirst(listNameHistory(client, key, { signal }), maxNameHistory) }
      } catch (error) {
        const own = CairnError.is(error, 'NAME_NOT_FOUND') ? await findDeviceName(address, key) : undefined
        if (own === undefined) throw error
        return { state: toNameState(own), history: [] }
      }
    },
  })
}

/** Returns the names of the account that can be published from this device. */
export function useDeviceNames(address: string | undefined): ReadonlySet<string> {
  const { data } = useQuery({
    queryKey: ['names', address, 'on-device'],
    queryFn: async () => (await listDeviceNames(address ?? '').catch(noDeviceNames)).map(({ name }) => name),
    enabled: address !== undefined,
    networkMode: 'always',
  })
  return useMemo(() => new Set(data), [data])
}

/** A browser without storage has no names of its own; the list of the account is shown anyway. */
function noDeviceNames(error: unknown): DeviceName[] {
  if (error instanceof DOMException) return []
  throw error
}

/** Returns the public target of a name, verified by the name itself. Only for published names. */
export function useResolvedName({ address }: Session, name: string, isPublished: boolean) {
  const client = useClient()
  return useQuery({
    queryKey: ['names', address, name, 'resolved'],
    queryFn: ({ signal }) => resolveName(client, name, { recursive: false, signal }),
    enabled: isPublished,
  })
}
