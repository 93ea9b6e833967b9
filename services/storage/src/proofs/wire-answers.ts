import { type Aggregate, encodeEntry, encodePieceCidV1, type MerklePath, paddedBytesOf } from '@cairn/pieces'
import type { CallResult, getDealStatus, getPdpDealStatus, getProof } from '@cairn/protocol'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { CID } from 'multiformats/cid'
import { type DealRow, isActive } from '../deals/deals.ts'
import { type AggregateRow, type PieceRow, toPiece } from '../pieces/pieces.ts'
import type { Proofs } from './proofs.ts'

/** Epoch 0 of the Filecoin network in ms since 1970, and the length of an epoch. */
const genesisMs = 1_598_306_400_000
const epochMs = 30_000

/** Status texts that published clients show. */
const words: Record<DealRow['state'], string> = {
  queued: 'Queued',
  offered: 'Transferring',
  kept: 'Stored',
  proving: 'Active: Proving',
  faulted: 'Faulted',
  failed: 'Failed',
  ended: 'Ended',
}

type Found = { piece: PieceRow; row: AggregateRow; aggregate: Aggregate; deals: readonly DealRow[] }

/** Returns the aggregates of a CID, that of its root block first, each with the deals that count. */
async function findAll(proofs: Proofs, cid: CID): Promise<Found[]> {
  const place = await proofs.place(cid)
  const found: Found[] = []
  for (const { row: piece } of place?.pieces ?? []) {
    const one = await proofs.findAggregate(piece)
    if (one === undefined) continue
    const deals = one.deals.filter(isActive)
    found.push({ piece, ...one, deals })
  }
  return found
}

/** Describes deals with all field spellings that published clients know. */
export async function describeDeals(proofs: Proofs, cid: CID): Promise<CallResult<typeof getDealStatus>> {
  const found = await findAll(proofs, cid)
  return found.flatMap(({ piece, row, deals }) =>
    deals.map((deal) => ({
      DealID: deal.number,
      Provider: deal.provider,
      chainDealID: String(deal.number),
      dealId: deal.number,
      dealUUID: `${row.id}/${deal.number}`,
      dealStatus: words[deal.state],
      storageProvider: deal.provider,
      miner: deal.provider,
      startEpoch: toEpoch(deal.kept_at ?? deal.created_at),
      endEpoch: 0,
      publishCID: '',
      publishCid: '',
      bundleId: row.id,
      aggregateIn: row.cid,
      providerCollateral: '0',
      pieceCID: encodePieceCidV1(toPiece(piece)),
      payloadCid: cid.toString(),
      pieceSize: paddedBytesOf(piece),
      carFileSize: piece.payload_bytes,
      lastUpdate: deal.proven_at ?? deal.since,
      content: deal.number,
    })),
  )
}

function toEpoch(ms: number): number {
  return Math.floor((ms - genesisMs) / epochMs)
}

/** Describes inclusion proofs for the wire; undefined while there is no deal. */
export async function describeInclusion(proofs: Proofs, cid: CID): Promise<CallResult<typeof getProof> | undefined> {
  const found = (await findAll(proofs, cid)).filter(({ deals }) => deals.length > 0)
  const [first] = found
  if (first === undefined) return undefined
  const pieceCID = encodePieceCidV1(toPiece(first.piece))
  return {
    pieceCID,
    pieceSize: paddedBytesOf(first.piece),
    carFileSize: first.piece.payload_bytes,
    proof: { pieceCID, id: first.row.id, lastUpdate: first.row.created_at, fileProof: encodeProof(first) },
    dealInfo: found.flatMap((one) =>
      one.deals.map((deal) => ({
        dealId: deal.number,
        dealUUID: `${one.row.id}/${deal.number}`,
        storageProvider: deal.provider,
        proof: encodeProof(one),
      })),
    ),
    previousAggregates: [],
  }
}

function encodeProof({ piece, aggregate }: Found) {
  const position = piece.position ?? 0
  const { subtree, entry } = aggregate.prove(position)
  const offset = aggregate.segments[position]?.offset ?? 0
  const checksum = encodeEntry({ root: piece.root, height: piece.height, offset }).subarray(48)
  const indexRecord = {
    checksum: bytesToHex(checksum),
    proofIndex: toHex(entry.index),
    proofSubtree: toHex(subtree.index),
    size: toHex(paddedBytesOf(piece)),
  }
  return {
    verifierData: { commPc: bytesToHex(piece.root), sizePc: toHex(paddedBytesOf(piece)) },
    inclusionProof: { proofIndex: encodePath(entry), proofSubtree: encodePath(subtree), indexRecord },
    indexRecord,
  }
}

function encodePath({ index, path }: MerklePath) {
  return { index: toHex(index), path: path.map(bytesToHex) }
}

function toHex(number: number): string {
  return number.toString(16)
}

/** Describes providers that prove possession, in the form of the published documentation. */
export async function describePdpDeals(proofs: Proofs, cid: CID): Promise<CallResult<typeof getPdpDealStatus>> {
  const found = await findAll(proofs, cid)
  return found.flatMap(({ row, deals }) =>
    deals.map((deal) => ({
      id: `${row.id}/${deal.number}`,
      cid: cid.toString(),
      publicKey: deal.provider_key ?? '',
      dealStatus: words[deal.state],
      createdAt: new Date(deal.created_at).toISOString(),
      updatedAt: new Date(deal.proven_at ?? deal.since).toISOString(),
      transactionDetails: {
        RootCID: row.cid,
        DownloadURL: proofs.describeDeal(deal, row).retrievalUrl ?? '',
        TXHash: '',
      },
    })),
  )
}
