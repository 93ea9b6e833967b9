import { CairnError, type Client, getProofs, type StorageProofs } from '@cairn/sdk'
import { vi } from 'vitest'

/** Waits until so many providers have proven every piece of a CID. */
export async function untilProven(client: Client, cid: string, providers = 2): Promise<StorageProofs> {
  let latest: StorageProofs | undefined
  const look = async (): Promise<StorageProofs | undefined> => {
    latest = await getProofs(client, cid).catch((error: unknown) => {
      if (CairnError.is(error, 'PROOF_NOT_FOUND')) return undefined
      throw error
    })
    const isDone =
      latest?.waitingPacks === 0 &&
      latest.pieces.every(
        ({ aggregate }) => (aggregate?.deals.filter(({ state }) => state === 'proving').length ?? 0) >= providers,
      )
    return isDone ? latest : undefined
  }
  try {
    return await vi.waitUntil(look, { interval: 50, timeout: 200_000 })
  } catch (cause) {
    throw new Error(`not proven: ${JSON.stringify(latest?.pieces.map(({ aggregate }) => aggregate?.deals))}`, { cause })
  }
}
