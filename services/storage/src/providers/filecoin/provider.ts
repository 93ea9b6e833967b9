import { CairnError } from '@cairn/protocol'
import type { Provider } from '../provider.ts'
import type { FilecoinChain } from './chain.ts'
import type { FilecoinSettings } from './client.ts'
import { createCurio } from './curio.ts'
import { createPlacing, type Placing } from './placing.ts'
import { findMissedWindow } from './proving.ts'

/** Maximum size of a PDP piece: 1 GiB, of which 127 of 128 parts are payload. */
const maxPieceBytes = 1_065_353_216

type Opened = { readonly chain: FilecoinChain; readonly placing: Placing }

/**
 * A Filecoin storage provider that runs Curio and proves possession on the chain (PDP), under the warm storage
 * contracts. It receives signatures of the configured wallet and sends all transactions itself. Contracts, addresses
 * and signatures are those of the published SDK, which is loaded with the first call.
 * @see https://github.com/FilOzone/synapse-sdk
 */
export function createFilecoinProvider(settings: FilecoinSettings, options: { recheckMs?: number } = {}): Provider {
  const { name, url } = settings
  const curio = createCurio({ name, url })
  let opened: Promise<Opened> | undefined
  const open = (): Promise<Opened> => {
    opened ??= import('./chain.ts').then(({ openFilecoinChain }) => {
      const chain = openFilecoinChain(settings)
      return { chain, placing: createPlacing(chain, curio, { name, ...options }) }
    })
    return opened
  }
  /** Stops waiting when the signal fires; later answers of the chain are ignored. */
  const within = async <T>(signal: AbortSignal, work: (opened: Opened) => Promise<T>): Promise<T> => {
    const late = () =>
      new CairnError('UPSTREAM_FAILED', { message: `The storage provider ${name} did not respond in time` })
    if (signal.aborted) throw late()
    const { promise, reject } = Promise.withResolvers<never>()
    const onAbort = (): void => reject(late())
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([open().then(work), promise])
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  return {
    name,
    kind: 'filecoin',
    // It accepts no nonces from strangers; its content is fetched from its `retrievalUrl`.
    url: undefined,
    maxPieceBytes,
    retrievalUrl: (piece) => curio.urlOf(piece),
    // Checks only its HTTP interface: the chain's endpoint is queried often enough.
    ping: ({ signal }) => curio.ping(signal),
    offer: (piece, source, { signal }) =>
      within(signal, async ({ chain, placing }) => {
        await chain.requireProvider()
        const { settled } = await chain.readEpochs()
        if ((await chain.findPieces(piece, settled)).length > 0) return { state: 'kept' }
        return placing.begin(piece, source)
      }),
    status: (piece, { signal }) =>
      within(signal, async ({ chain, placing }) => {
        const { head, settled } = await chain.readEpochs()
        if ((await chain.findPieces(piece, settled)).length > 0) return { state: 'kept' }
        // A reorganisation may still remove it.
        if ((await chain.findPieces(piece, head)).length > 0) return { state: 'pulling' }
        return placing.stateOf(piece) ?? { state: 'unknown' }
      }),
    async challenge() {
      throw new CairnError('NOT_SUPPORTED', {
        message: `The storage provider ${name} submits proofs only to its chain and does not accept other challenges`,
      })
    },
    // It proves data sets: a piece is included once the range of their challenges covers it.
    lastProof: (piece, { keptAt, provenAt }, { signal }) =>
      within(signal, async ({ chain }) => {
        const { settled } = await chain.readEpochs()
        const [placed] = await chain.findPieces(piece, settled)
        if (placed === undefined) {
          throw new CairnError('PIECE_NOT_FOUND', { message: 'The piece is not in a data set of the provider' })
        }
        const state = await chain.readProving(placed, settled)
        const missed = findMissedWindow(state, chain.epochOf(keptAt))
        const epoch = state.provenAt
        // An endpoint may have pruned old epochs: known values are not read again.
        const isNew = epoch > 0n && (provenAt === null || chain.timeOf(epoch) > provenAt)
        if (missed !== undefined || !isNew) return { missed, newest: undefined }
        const proof = await chain.findProof(placed, epoch)
        if (proof === undefined) return { missed, newest: undefined }
        const { transaction, leafCount } = proof
        const where = `chain ${chain.id}, epoch ${epoch}, data set ${placed.dataSet.id}, piece ${placed.pieceId}`
        const newest = {
          provenAt: chain.timeOf(epoch),
          transaction: transaction.slice(2).toLowerCase(),
          source: `${where}, transaction ${transaction}`,
          leafCount,
        }
        return { missed, newest }
      }),
    retrieve: (piece, range, { signal }) => curio.retrieve(piece, range, signal),
    remove: (piece, { signal }) =>
      within(signal, async ({ chain, placing }) => {
        const { head } = await chain.readEpochs()
        const found = await chain.findPieces(piece, head)
        if (found.length === 0 && placing.isSent(piece)) {
          // It would stay stored, and be paid for, after the deal counts as removed.
          throw new CairnError('UPSTREAM_FAILED', {
            message: `The storage provider ${name} is still adding the piece. It can be removed when that is complete`,
          })
        }
        placing.drop(piece)
        for (const placed of found) {
          await curio.removePiece(placed.dataSet.id, placed.pieceId, await chain.signRemoval(placed), signal)
        }
      }),
    close() {
      opened?.then(
        ({ placing }) => placing.close(),
        () => undefined,
      )
    },
  }
}
