import { estimateDecryptedFolderSize } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { queryClient } from '../network/query-client.ts'
import { useClient } from '../session/use-client.ts'

const keyOf = (cid: string) => ['folder-size', cid]

/**
 * The size of a folder that was encrypted as one, once it is decrypted. Its list of files states it, without the key.
 * @param isAsked whether the content is such a folder
 * @returns the size in bytes; `null` if it cannot be found, undefined until then
 */
export function useFolderSize(cid: string, isAsked: boolean): number | null | undefined {
  const client = useClient()
  const { data, isError } = useQuery({
    queryKey: keyOf(cid),
    queryFn: async ({ signal }) => (await estimateDecryptedFolderSize(client, cid, { signal })) ?? null,
    enabled: isAsked,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (!isAsked) return undefined
  return isError ? null : data
}

/** The size that a row has found. */
export function knownFolderSize(cid: string): number | undefined {
  return queryClient.getQueryData<number | null>(keyOf(cid)) ?? undefined
}
