import { setTimeout as delay } from 'node:timers/promises'
import { CairnError, type Client, getProofs, type StorageProofs } from '@cairn/sdk'

/** Ends the wait for a proof that never arrives. */
const limitMs = 200_000

/** Waits until this many providers have proven every piece of a CID. */
export async function untilProven(client: Client, cid: string, providers = 2): Promise<StorageProofs> {
  let latest: StorageProofs | undefined
  const fetchStatus = async (): Promise<StorageProofs | undefined> => {
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
  const deadline = performance.now() + limitMs
  for (;;) {
    const found = await fetchStatus()
    if (found !== undefined) return found
    if (performance.now() > deadline) {
      const states = latest?.pieces.map(({ aggregate }) =>
        aggregate?.deals.map(({ id, state, error }) => ({ id, state, error })),
      )
      throw new Error(`not proven: ${JSON.stringify(states)}`)
    }
    await delay(50)
  }
}
