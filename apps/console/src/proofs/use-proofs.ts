import { CairnError, getProofs, type StorageProofs } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useClient } from '../session/use-client.ts'
import { readPipeline } from './pipeline.ts'

/** Polling intervals in ms: short while a stage is in progress, long for proven content. */
const movingMs = 4_000
const provenMs = 60_000

/**
 * Returns where content is stored, as the service reports it; `null` until it is part of a piece, which is not an
 * error.
 */
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
