import { getKey } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNetwork } from '../network/use-network.ts'
import { useSession } from '../session/session-store.ts'
import { clientOf } from '../session/use-client.ts'
import { findThumbnail, inKeyQueue } from './find-thumbnail.ts'
import { thumbnailType } from './make-thumbnail.ts'

/** How long a thumbnail that is out of sight stays in memory, in ms. */
const keptMs = 10 * 60_000

export function thumbnailKey(cid: string): string[] {
  return ['thumbnail', cid]
}

/**
 * Returns the thumbnail of an own encrypted picture, decrypted on this page; undefined while it loads and if there is none. Never
 * opens a wallet, so that there are no thumbnails without a session at the key nodes.
 */
export function useThumbnail(cid: string, isWanted: boolean): Blob | undefined {
  const network = useNetwork()
  const session = useSession()
  const { data } = useQuery({
    queryKey: thumbnailKey(cid),
    queryFn: async ({ signal }) => {
      const client = clientOf(network, session)
      const sealed = await findThumbnail(client, cid)
      if (sealed === undefined || signal.aborted) return null
      const { masterKey } = await inKeyQueue(() => getKey(client, cid, { signal, lateMs: 0 }))
      return new Blob([new Uint8Array(await sealed.open(masterKey))], { type: thumbnailType })
    },
    enabled: isWanted && session?.keySession !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: keptMs,
    retry: false,
    structuralSharing: false,
  })
  return data ?? undefined
}
