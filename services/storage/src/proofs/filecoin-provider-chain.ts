import { createHash } from 'node:crypto'
import { getChain } from '@filoz/synapse-core/chains'
import { findPieceIdsByCidCall, getScheduledRemovalsCall } from '@filoz/synapse-core/pdp-verifier'
import { parse as parsePiece } from '@filoz/synapse-core/piece'
import { getPDPProvider } from '@filoz/synapse-core/sp-registry'
import { signAddPieces, signCreateDataSet, signSchedulePieceRemovals } from '@filoz/synapse-core/typed-data'
import { getClientDataSetsCall } from '@filoz/synapse-core/warm-storage'
import { CairnError } from '@cairn/protocol'
import { readLimited } from '@cairn/service'
import { type Address, BaseError, createClient, getAddress, type Hex, http, isHex, parseAbiItem } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { getBlockNumber, getChainId, getLogs, readContract } from 'viem/actions'
import type { ProvingState } from './filecoin-provider-proving.ts'
import type { ProviderSettings } from './proof-settings.ts'

export type FilecoinSettings = Extract<ProviderSettings, { kind: 'filecoin' }>

/** A data set that the payer pays this provider for. `nonce` is what it was created with. */
export type DataSet = { readonly id: bigint; readonly nonce: bigint }
/** A piece in a data set. */
export type PlacedPiece = { readonly dataSet: DataSet; readonly pieceId: bigint }
/** A proof that a transaction gave. */
export type ProofOnChain = { readonly epoch: bigint; readonly transaction: Hex; readonly leafCount: number }

/**
 * What the adapter reads from the contracts of Filecoin's warm storage, and what it signs for them. It sends no transaction:
 * the provider does, with what is signed here. Every read is at one epoch, so that a reorganisation shows as one step back.
 */
export type FilecoinChain = {
  readonly id: number
  /** The contract that keeps records of data sets. */
  readonly recordKeeper: Address
  /** The newest epoch, and the newest that counts. */
  readEpochs(): Promise<{ head: bigint; settled: bigint }>
  /** Start of an epoch in ms since 1970, and the epoch of a time. */
  timeOf(epoch: bigint): number
  epochOf(timeMs: number): bigint
  /** @throws CairnError UPSTREAM_FAILED where the registry has another URL than the settings */
  requireProvider(): Promise<void>
  findDataSet(at: bigint): Promise<DataSet | undefined>
  /** Where the provider holds a piece that is not to be removed; undefined where it does not. */
  findPiece(piece: string, at: bigint): Promise<PlacedPiece | undefined>
  readProving(placed: PlacedPiece, at: bigint): Promise<ProvingState>
  /** The proof at an epoch, where there was one and the piece was in the challenges' range. */
  findProof(placed: PlacedPiece, epoch: bigint): Promise<ProofOnChain | undefined>
  /** What the provider creates a data set with. The same until there is one, so that a second try makes no second one. */
  signDataSet(at: bigint): Promise<Hex>
  /** What the provider adds a piece with. The same until it is there, so that a second try adds no second one. */
  signPiece(piece: string, dataSet: DataSet, at: bigint): Promise<Hex>
  signRemoval(placed: PlacedPiece): Promise<Hex>
}

const rpcMs = 10_000
const answerBytesMost = 8 * 1024 * 1024
const epochMs = 30_000
/** Nonces tried for a data set or a piece: so often may it have been removed before. */
const noncesMost = 200
const dataSetsMost = 1000n
const idsMost = 20n
/** Blocks in a row that the chain may have left out. */
const nullRoundsMost = 8

const possessionProven = parseAbiItem(
  'event PossessionProven(uint256 indexed setId, (uint256 pieceId, uint256 offset)[] challenges)',
)
