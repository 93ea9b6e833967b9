import { CairnError, type Drive, type DriveEditor } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useSyncExternalStore } from 'react'
import { queryClient } from '../network/query-client.ts'
import { useNetwork } from '../network/use-network.ts'
import { getSession, type Session, useSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { openShownDrive } from './open-drive.ts'
import { clearShared, readShared } from './shared-before-drive.ts'
import type { ShownDrive } from './shown-drive.ts'
import { reloadDrive } from './stale-uploads.ts'

/** How often changes of other devices are read while the page is visible, in ms. */
const syncMs = 20_000

/** Whether this network can keep folders: their index is encrypted with a key at the key nodes. */
export function useHasDrive(): boolean {
  const { keyRouter, keyNodes = [] } = useNetwork()
  return keyRouter !== undefined || keyNodes.length > 0
}

function keyOf(session: Session | undefined) {
  // A renewed credential needs a new client; the secret itself is not part of the key.
  return ['drive', session?.address, session?.expiresAt, session?.keySession !== undefined]
}

/** Returns the drive of the account, opened once for the page, and kept up to date with other devices. */
export function useDriveQuery({ isEnabled = true }: { isEnabled?: boolean } = {}) {
  const network = useNetwork()
  const session = useSession()
  const query = useQuery<ShownDrive, Error>({
    queryKey: keyOf(session),
    queryFn: ({ signal }) => openOf(network, session, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    placeholderData: (before) => (before?.account === session?.address ? before : undefined),
    enabled: isEnabled && session !== undefined,
    // A drive is not plain data.
    structuralSharing: false,
  })
  const { data, isPlaceholderData } = query
  // Its key starts like that of the listing: what refreshes the listing refreshes the drive.
  useQuery({
    queryKey: ['files', 'drive', ...keyOf(session)],
    queryFn: async ({ signal }) => {
      if (data !== undefined) await reloadDrive(data.drive, signal)
      return data?.drive.revision ?? 0
    },
    refetchInterval: syncMs,
    refetchOnWindowFocus: true,
    enabled: isEnabled && data !== undefined && !isPlaceholderData,
  })
  return query
}

/** Returns the drive of the account if a page has opened it, without opening it. */
export function useOpenDrive(): ShownDrive | undefined {
  const network = useNetwork()
  const session = useSession()
  const { data } = useQuery<ShownDrive, Error>({
    queryKey: keyOf(session),
    queryFn: ({ signal }) => openOf(network, session, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    enabled: false,
    structuralSharing: false,
  })
  return session === undefined || data?.account !== session.address ? undefined : data
}

function openOf(network: Parameters<typeof clientOf>[0], session: Session | undefined, signal: AbortSignal) {
  if (session === undefined) throw new CairnError('UNAUTHENTICATED')
  return openShownDrive(clientOf(network, session), session, signal)
}

const noSubscription = () => () => undefined
const noVersion = () => 0

/** Returns a number that changes with the items of a drive, if one is open. */
export function useDriveVersion(shown: ShownDrive | undefined): number {
  return useSyncExternalStore(shown?.subscribe ?? noSubscription, shown?.version ?? noVersion)
}

/**
 * Returns a function that runs an edit. The first change of an account saves a key at the key nodes, which may take one more
 * signature.
 */
export function useDriveEdit(shown: ShownDrive | undefined) {
  const network = useNetwork()
  const needKeyClient = useKeyClient()
  return useCallback(
    async <T>(run: (edit: DriveEditor, drive: Drive) => T): Promise<T> => {
      if (shown?.drive.known !== undefined) return shown.drive.change((edit) => run(edit, shown.drive))
      await needKeyClient()
      const session = getSession()
      const { drive } = await queryClient.fetchQuery({
        queryKey: keyOf(session),
        queryFn: ({ signal }) => openOf(network, session, signal),
        staleTime: Number.POSITIVE_INFINITY,
        structuralSharing: false,
      })
      const result = await drive.change((edit) => {
        edit.markContactsUsed([...readShared(session?.address).keys()])
        return run(edit, drive)
      })
      clearShared()
      return result
    },
    [shown, network, needKeyClient],
  )
}
