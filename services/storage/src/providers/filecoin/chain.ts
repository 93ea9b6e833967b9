import { createHash } from 'node:crypto'
import { findPieceIdsByCidCall, getScheduledRemovalsCall } from '@filoz/synapse-core/pdp-verifier'
import { parse as parsePiece } from '@filoz/synapse-core/piece'
import { getPDPProvider } from '@filoz/synapse-core/sp-registry'
import { signAddPieces, signCreateDataSet, signSchedulePieceRemovals } from '@filoz/synapse-core/typed-data'
import { getClientDataSetsCall } from '@filoz/synapse-core/warm-storage'
import { type Address, type Hex, isHex } from 'viem'
import { getBlockNumber, getContractEvents, readContract } from 'viem/actions'
import { type FilecoinSettings, openFilecoinClient } from './client.ts'
import type { ProvingState } from './proving.ts'

/** A data set for which the payer pays this provider. `nonce` is the one it was created with. */
export type DataSet = { readonly id: bigint; readonly nonce: bigint }
/** A piece in a data set. */
export type PlacedPiece = { readonly dataSet: DataSet; readonly pieceId: bigint }
/** A proof submitted by a transaction. */
export type ProofOnChain = { readonly epoch: bigint; readonly transaction: Hex; readonly leafCount: number }

/**
 * Reads of Filecoin's warm storage contracts, and signatures for them. Sends no transactions: the provider sends them
 * with these signatures. Every read is at one epoch, so that a reorganisation appears as one step back.
 */
export type FilecoinChain = {
  readonly id: number
  /** The contract that records data sets. */
  readonly recordKeeper: Address
  /** Returns the newest epoch, and the newest settled one. */
  readEpochs(): Promise<{ head: bigint; settled: bigint }>
  /** Converts an epoch to ms since 1970, and a time to its epoch. */
  timeOf(epoch: bigint): number
  epochOf(timeMs: number): bigint
  /** @throws CairnError UPSTREAM_FAILED when the registry's URL differs from the configured one */
  requireProvider(): Promise<void>
  findDataSet(at: bigint): Promise<DataSet | undefined>
  /**
   * Finds where the provider holds a piece that is not scheduled for removal. More than one only when others use the
   * wallet too.
   */
  findPieces(piece: string, at: bigint): Promise<readonly PlacedPiece[]>
  readProving(placed: PlacedPiece, at: bigint): Promise<ProvingState>
  /** Returns the proof at an epoch, if there was one and the challenges covered the piece. */
  findProof(placed: PlacedPiece, epoch: bigint): Promise<ProofOnChain | undefined>
  /**
   * Signs the creation of a data set. The signature stays the same until one exists, so that a retry creates no
   * second one.
   */
  signDataSet(at: bigint): Promise<Hex>
  /**
   * Signs the addition of a piece. The signature stays the same until it is added, so that a retry adds no second
   * one.
   */
  signPiece(piece: string, dataSet: DataSet, at: bigint): Promise<Hex>
  signRemoval(placed: PlacedPiece): Promise<Hex>
}

const epochMs = 30_000
/** Maximum number of nonces tried per data set or piece: how often it may have been removed before. */
const maxNonces = 200
const maxDataSets = 1000n
const maxIds = 20n
const maxMemo = 2000

/**
 * Opens the chain of a provider. Sends no request yet. @throws CairnError INVALID_CONFIGURATION for an invalid key
 */
export function openFilecoinChain(settings: FilecoinSettings): FilecoinChain {
  const { chain, client, payer, ask, readAt } = openFilecoinClient(settings)
  const providerId = BigInt(settings.providerId)
  const { pdp, fwss, fwssView } = chain.contracts
  const verifier = { address: pdp.address, abi: pdp.abi }
  const view = { address: fwssView.address, abi: fwssView.abi }
  const genesisMs = chain.genesisTimestamp * 1000

  // Reads at a settled epoch are cached, because the deals of one round repeat them. Newer epochs may change.
  const memo = new Map<string, Promise<unknown>>()
  let newestSettled = -1n
  const remember = <T>(epoch: bigint, key: string, read: () => Promise<T>): Promise<T> => {
    if (epoch > newestSettled) return read()
    // Each key is used with one type only.
    const kept = memo.get(key) as Promise<T> | undefined
    if (kept !== undefined) return kept
    if (memo.size >= maxMemo) memo.clear()
    const made = read()
    memo.set(key, made)
    made.catch(() => memo.delete(key))
    return made
  }
  const findProvider = () =>
    remember(newestSettled, `provider ${newestSettled}`, async () => {
      const provider = await getPDPProvider(client, { providerId })
      if (provider === null) throw new Error(`the registry has no storage provider ${providerId}`)
      return provider
    })
  const listDataSets = (at: bigint): Promise<DataSet[]> =>
    remember(at, `sets ${at}`, () =>
      readAt(at, async (blockNumber) => {
        const found: DataSet[] = []
        const limit = 100n
        for (let offset = 0n; offset < maxDataSets; offset += limit) {
          const page = await readContract(client, {
            ...getClientDataSetsCall({ chain, address: payer, offset, limit }),
            blockNumber,
          })
          for (const { providerId: id, pdpEndEpoch, dataSetId, clientDataSetId } of page) {
            if (id !== providerId || pdpEndEpoch !== 0n || !dataSetNonces().has(clientDataSetId)) continue
            const isLive = await readContract(client, {
              ...verifier,
              functionName: 'dataSetLive',
              args: [dataSetId],
              blockNumber,
            })
            if (isLive) found.push({ id: dataSetId, nonce: clientDataSetId })
          }
          if (BigInt(page.length) < limit) break
        }
        return found
      }),
    )
  let nonces: ReadonlySet<bigint> | undefined
  const dataSetNonces = (): ReadonlySet<bigint> => {
    nonces ??= new Set(Array.from({ length: maxNonces }, (_, number) => dataSetNonce(number)))
    return nonces
  }
  const dataSetNonce = (number: number): bigint => deriveNonce('data-set', chain.id, payer, providerId, number)
  const firstUnused = (at: bigint, nonceOf: (number: number) => bigint): Promise<bigint> =>
    readAt(at, async (blockNumber) => {
      for (let number = 0; number < maxNonces; number++) {
        const nonce = nonceOf(number)
        const used = await readContract(client, {
          ...view,
          functionName: 'clientNonces',
          args: [payer, nonce],
          blockNumber,
        })
        if (used === 0n) return nonce
      }
      throw new Error(`all of ${maxNonces} nonces are used`)
    })
  const isChallengeable = async ({ dataSet, pieceId }: PlacedPiece, blockNumber: bigint): Promise<boolean> => {
    const at = { ...verifier, blockNumber }
    // The contract reverts when there is no range yet.
    const range = await readContract(client, { ...at, functionName: 'getChallengeRange', args: [dataSet.id] })
    if (range === 0n) return false
    return readContract(client, { ...at, functionName: 'pieceChallengable', args: [dataSet.id, pieceId] })
  }

  return {
    id: chain.id,
    recordKeeper: fwss.address,
    readEpochs: () =>
      ask(async () => {
        const head = await getBlockNumber(client, { cacheTime: 0 })
        const depth = BigInt(settings.confirmations)
        const settled = head > depth ? head - depth : 0n
        if (settled > newestSettled) newestSettled = settled
        return { head, settled }
      }),
    timeOf: (epoch) => genesisMs + Number(epoch) * epochMs,
    epochOf: (timeMs) => BigInt(Math.max(0, Math.floor((timeMs - genesisMs) / epochMs))),
    requireProvider: () =>
      ask(async () => {
        const { pdp: offering } = await findProvider()
        if (withSlash(offering.serviceURL) !== withSlash(settings.url)) {
          throw new Error('the URL of the provider in the registry differs from the settings')
        }
      }),
    findDataSet: (at) => ask(async () => (await listDataSets(at)).at(0)),
    findPieces: (piece, at) =>
      ask(() =>
        remember(at, `piece ${at} ${piece}`, async () => {
          const pieceCid = parsePiece(piece)
          const placed: PlacedPiece[] = []
          for (const dataSet of await listDataSets(at)) {
            const own = { chain, dataSetId: dataSet.id }
            await readAt(at, async (blockNumber) => {
              const call = findPieceIdsByCidCall({ ...own, pieceCid, limit: maxIds })
              const ids = await readContract(client, { ...call, blockNumber })
              if (ids.length === 0) return
              const leaving = await readContract(client, { ...getScheduledRemovalsCall(own), blockNumber })
              for (const pieceId of ids) if (!leaving.includes(pieceId)) placed.push({ dataSet, pieceId })
            })
          }
          return placed
        }),
      ),
    readProving: (placed, epoch) =>
      ask(() =>
        readAt(epoch, async (blockNumber) => {
          const args = [placed.dataSet.id] as const
          const at = { ...view, args, blockNumber }
          const [deadline, isProven, activatedAt, [periodEpochs], provenAt, inRange] = await Promise.all([
            readContract(client, { ...at, functionName: 'provingDeadline' }),
            readContract(client, { ...at, functionName: 'provenThisPeriod' }),
            readContract(client, { ...at, functionName: 'provingActivationEpoch' }),
            readContract(client, { ...view, functionName: 'getPDPConfig', blockNumber }),
            readContract(client, { ...verifier, functionName: 'getDataSetLastProvenEpoch', args, blockNumber }),
            isChallengeable(placed, blockNumber),
          ])
          return { at: epoch, deadline, isProven, activatedAt, periodEpochs, provenAt, isChallengeable: inRange }
        }),
      ),
    findProof: (placed, epoch) =>
      ask(() =>
        remember(epoch, `proof ${epoch} ${placed.dataSet.id} ${placed.pieceId}`, async () => {
          const args = { setId: placed.dataSet.id }
          const within = { fromBlock: epoch, toBlock: epoch }
          const events = await getContractEvents(client, {
            ...verifier,
            eventName: 'PossessionProven',
            args,
            ...within,
          })
          const event = events.at(-1)
          if (event?.args.challenges === undefined || !isHex(event.transactionHash)) return undefined
          // The range of a proof was fixed before it, so the previous epoch shows where the challenges could fall.
          if (!(await readAt(epoch - 1n, (blockNumber) => isChallengeable(placed, blockNumber)))) return undefined
          return { epoch, transaction: event.transactionHash, leafCount: event.args.challenges.length }
        }),
      ),
    signDataSet: (at) =>
      ask(async () => {
        const { payee } = await findProvider()
        const clientDataSetId = await firstUnused(at, dataSetNonce)
        return signCreateDataSet(client, {
          clientDataSetId,
          payee,
          payer,
          metadata: [{ key: 'source', value: 'cairn' }],
        })
      }),
    signPiece: (piece, dataSet, at) =>
      ask(async () => {
        const nonce = await firstUnused(at, (number) =>
          deriveNonce('piece', chain.id, payer, dataSet.id, piece, number),
        )
        const pieces = [{ pieceCid: parsePiece(piece) }]
        return signAddPieces(client, { clientDataSetId: dataSet.nonce, nonce, pieces })
      }),
    signRemoval: ({ dataSet, pieceId }) =>
      ask(() => signSchedulePieceRemovals(client, { clientDataSetId: dataSet.nonce, pieceIds: [pieceId] })),
  }
}

/** Derives a number from names, so that it is always the same for the same purpose. */
function deriveNonce(...names: readonly unknown[]): bigint {
  return BigInt(
    `0x${createHash('sha256')
      .update(['cairn/filecoin/1', ...names].join('\n'))
      .digest('hex')}`,
  )
}

function withSlash(url: string): string {
  return new URL(url.endsWith('/') ? url : `${url}/`).href
}
