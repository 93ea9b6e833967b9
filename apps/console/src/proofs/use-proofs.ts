import { CairnError, getProofs, type StorageProofs } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useClient } from '../session/use-client.ts'
import { readPipeline } from './pipeline.ts'

/** While something is under way, it is looked at this often; what is proven, seldom. */
const movingMs = 4_000
const provenMs = 60_000

/** Where content is stored, as the service says; `null` while it lies in no piece yet, which is no error. */
export function useProofs(cid: string) {
  const client = useClient()
  return useQuery({
    queryKey: ['proofs', cid],
    queryFn: async ({ signal }): Promise<StorageProofs | null> => {
      try {
        return await getProofs(client, cid, { signal })
      } catch (error) {
        if (CairnError.is(error, 'PROOF_NOT_FOUND')) return null
        throw error
      }
    },
    refetchInterval: ({ state: { data, error } }) => {
      if (error !== null || data === undefined) return false
      return readPipeline(data ?? undefined).every(({ state }) => state === 'done') ? provenMs : movingMs
    },
  })
}
