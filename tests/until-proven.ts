import { CairnError, type Client, getProofs, type StorageProofs } from '@cairn/sdk'

/** Waits until so many providers have proven every piece of a CID. */
export async function untilProven(client: Client, cid: string, providers = 2): Promise<StorageProofs> {
  const limit = AbortSignal.timeout(100_000)
  for (;;) {
    const proofs = await getProofs(client, cid).catch((error: unknown) => {
      if (CairnError.is(error, 'PROOF_NOT_FOUND')) return undefined
      throw error
    })
    const isDone =
      proofs?.waitingPacks === 0 &&
      proofs.pieces.every(
        ({ aggregate }) => (aggregate?.deals.filter(({ state }) => state === 'proving').length ?? 0) >= providers,
      )
    if (proofs !== undefined && isDone) return proofs
    if (limit.aborted)
      throw new Error(`not proven in time: ${JSON.stringify(proofs?.pieces.map(({ aggregate }) => aggregate?.deals))}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
