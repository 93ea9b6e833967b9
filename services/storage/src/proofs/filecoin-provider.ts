import { CairnError } from '@cairn/protocol'
import type { FilecoinChain } from './filecoin-provider-chain.ts'
import type { FilecoinSettings } from './filecoin-provider-client.ts'
import { createCurio } from './filecoin-provider-curio.ts'
import { createPlacing, type Placing } from './filecoin-provider-placing.ts'
import { findMissedWindow } from './filecoin-provider-proving.ts'
import type { Provider } from './provider.ts'

/** Largest piece of PDP: 1 GiB, of which 127 of 128 parts are payload. */
const pieceBytesMost = 1_065_353_216

type Opened = { readonly chain: FilecoinChain; readonly placing: Placing }

/**
 * A storage provider of Filecoin that runs Curio and proves possession on the chain (PDP), under the contracts of the warm
 * storage service. It is given what the wallet of the settings signed, and sends all transactions itself. Contracts,
 * addresses and signatures are those of the published SDK, which is loaded with the first call.
 * @see https://github.com/FilOzone/synapse-sdk
 */
export function createFilecoinProvider(settings: FilecoinSettings, options: { lookAgainMs?: number } = {}): Provider {
  const { name, url } = settings
  const curio = createCurio({ name, url })
  let opened: Promise<Opened> | undefined
  const open = (): Promise<Opened> => {
    opened ??= import('./filecoin-provider-chain.ts').then(({ openFilecoinChain }) => {
      const chain = openFilecoinChain(settings)
      return { chain, placing: createPlacing(chain, curio, { name, ...options }) }
    })
    return opened
  }
  /** Gives up waiting with the signal; what the chain still answers is not needed any more. */
  const within = async <T>(signal: AbortSignal, work: (opened: Opened) => Promise<T>): Promise<T> => {
    const late = () =>
      new CairnError('UPSTREAM_FAILED', { message: `The storage provider ${name} gave no answer in time` })
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
    // It answers nobody's nonces; what it has is fetched from its `retrievalUrl`.
    url: undefined,
    pieceBytesMost,
    retrievalUrl: (piece) => curio.urlOf(piece),
    // Its HTTP face alone: the chain's endpoint is asked often enough.
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
        // A reorganisation may still take it back.
        if ((await chain.findPieces(piece, head)).length > 0) return { state: 'pulling' }
        return placing.stateOf(piece) ?? { state: 'unknown' }
      }),
    async challenge() {
      throw new CairnError('NOT_SUPPORTED', {
        message: `The storage provider ${name} proves on its chain when the chain asks, and answers nobody else`,
      })
    },
    // Its proofs are of the data set: a piece is in them once it is in the range of their challenges.
    lastProof: (piece, { keptAt, provenAt }, { signal }) =>
      within(signal, async ({ chain }) => {
        const { settled } = await chain.readEpochs()
        const [placed] = await chain.findPieces(piece, settled)
        if (placed === undefined) {
          throw new CairnError('PIECE_NOT_FOUND', { message: 'The piece is in no data set of the provider' })
        }
        const state = await chain.readProving(placed, settled)
        const missed = findMissedWindow(state, chain.epochOf(keptAt))
        const epoch = state.provenAt
        // Of old epochs an endpoint may know nothing any more: what is known is not asked for again.
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
          // It would be there, and be paid for, after everybody took it for gone.
          throw new CairnError('UPSTREAM_FAILED', {
            message: `The storage provider ${name} is just adding the piece: it can be removed once it is there`,
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
