import { CairnError } from '@cairn/protocol'
import { uuidv7 } from '@cairn/service'
import { type RawBuilder, sql } from 'kysely'
import type { Context } from '../context.ts'
import { accountsInOneRange, keyRanges, rowsInOneRange } from '../db/key-ranges.ts'
import type { PaymentNetwork } from '../settings/payment-settings.ts'
import { createChainReader } from './chain.ts'
import { causeOf } from './credit.ts'
import { findCursor } from './store.ts'

/** An inconsistency in the books. */
export type BookFinding =
  | { kind: 'wrong-limit'; address: string; is: number; shouldBe: number }
  | { kind: 'wrong-used'; address: string; is: number; shouldBe: number }
  | { kind: 'wrong-reserved'; address: string; is: number; shouldBe: number }
  | { kind: 'upload-without-pack'; uploadId: string; address: string; bytes: number }
  | { kind: 'credit-without-entry'; payment: string; bytes: number }
  | { kind: 'entry-without-credit'; cause: string; bytes: number }
  | { kind: 'not-on-chain'; network: string; txHash: string; ordinal: number }
  | { kind: 'not-in-books'; network: string; txHash: string; ordinal: number; units: string }
  | { kind: 'other-amount'; network: string; txHash: string; ordinal: number; is: string; shouldBe: string }
  | { kind: 'chain-unread'; network: string; reason: string }

export type BookReport = { at: number; accounts: number; payments: number; blocks: number; findings: BookFinding[] }

/** Number of final blocks per chain that are read again. */
const blocksAgain = 50_000
/** More findings than this add no information. */
const maxFindings = 1_000

type Parts = Pick<Context, 'db' | 'clock' | 'config' | 'log'>

/**
 * Compares the books: limits with the ledger, used and reserved bytes with uploads and reservations, uploads with the
 * packs that hold them, ledger with payments, payments with the chains. Changes nothing; the report is stored and
 * logged.
 */
export async function reconcile(context: Parts, signal?: AbortSignal): Promise<BookReport> {
  const findings: BookFinding[] = [
    ...(await compareAccounts(context, signal)),
    ...(await comparePacks(context, signal)),
    ...(await compareEntries(context)),
  ]
  let blocks = 0
  for (const network of context.config.payments.networks) {
    try {
      const read = await compareChain(context, network, signal)
      blocks += read.blocks
      findings.push(...read.findings)
    } catch (error) {
      signal?.throwIfAborted()
      const reason = error instanceof Error ? error.message : 'it did not respond'
      findings.push({ kind: 'chain-unread', network: network.name, reason })
    }
  }
  const report: BookReport = {
    at: context.clock.now(),
    accounts: await countRows(context, 'account'),
    payments: await countRows(context, 'payment'),
    blocks,
    findings: findings.slice(0, maxFindings),
  }
  await context.db.write((trx) =>
    trx
      .insertInto('report')
      .values({
        id: uuidv7(report.at),
        kind: 'books',
        created_at: report.at,
        findings: findings.length,
        body: JSON.stringify(report),
      })
      .execute(),
  )
  if (findings.length > 0)
    context.log.error({ findings: report.findings.slice(0, 20) }, 'reconciliation found differences')
  return report
}

async function countRows({ db }: Parts, table: 'account' | 'payment'): Promise<number> {
  const row = await db.read
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(row.rows)
}

/** One statement per sum of some accounts, so that each is a consistent snapshot. */
async function compareAccounts({ db }: Parts, signal: AbortSignal | undefined): Promise<BookFinding[]> {
  const compare = async (kind: 'wrong-limit' | 'wrong-used' | 'wrong-reserved', isInRange: RawBuilder<boolean>) => {
    const [column, sum] = {
      'wrong-limit': [
        'data_limit_bytes',
        'select sum(bytes) from ledger_entry where ledger_entry.address = account.address',
      ],
      'wrong-used': ['data_used_bytes', 'select sum(size_bytes) from upload where upload.address = account.address'],
      'wrong-reserved': [
        'reserved_bytes',
        'select sum(bytes) from reservation where reservation.address = account.address',
      ],
    }[kind]
    const { rows } = await sql<{ address: string; own: number; due: number }>`
      select address, own, due from (
        select address, ${sql.ref(column ?? '')} as own, coalesce((${sql.raw(sum ?? '')}), 0) as due from account
        where ${isInRange}) as sums where own <> due`.execute(db.read)
    return rows.map(({ address, own, due }): BookFinding => ({ kind, address, is: Number(own), shouldBe: Number(due) }))
  }
  const findings: BookFinding[] = []
  for (const kind of ['wrong-limit', 'wrong-used', 'wrong-reserved'] as const) {
    const ofKind: BookFinding[] = []
    for await (const isInRange of keyRanges(db, 'account', accountsInOneRange)) {
      signal?.throwIfAborted()
      ofKind.push(...(await compare(kind, isInRange)))
      if (ofKind.length >= maxFindings) break
    }
    findings.push(...ofKind)
  }
  return findings
}

/**
 * Paid content must exist: each upload that has bytes refers to packs, all of them kept. A root in an identity CID (00…) needs no
 * pack.
 */
async function comparePacks({ db }: Parts, signal: AbortSignal | undefined): Promise<BookFinding[]> {
  const findings: BookFinding[] = []
  for await (const isInRange of keyRanges(db, 'upload', rowsInOneRange)) {
    signal?.throwIfAborted()
    const rows = await db.read
      .selectFrom('upload')
      .select(['id', 'address', 'size_bytes', 'root_multihash'])
      .where(isInRange)
      .where('size_bytes', '>', 0)
      .where(({ or, not, exists, selectFrom }) =>
        or([
          not(exists(selectFrom('upload_pack').select('pack_id').whereRef('upload_pack.upload_id', '=', 'upload.id'))),
          exists(
            selectFrom('upload_pack')
              .innerJoin('pack', 'pack.id', 'upload_pack.pack_id')
              .select('upload_pack.pack_id')
              .whereRef('upload_pack.upload_id', '=', 'upload.id')
              .where('pack.state', '<>', 'live'),
          ),
        ]),
      )
      .execute()
    for (const { id: uploadId, address, size_bytes: bytes, root_multihash: root } of rows)
      if (root[0] !== 0) findings.push({ kind: 'upload-without-pack', uploadId, address, bytes })
    if (findings.length >= maxFindings) break
  }
  return findings
}

/** Each credited payment has one entry of the same bytes, and each payment entry has its payment. */
async function compareEntries({ db }: Parts): Promise<BookFinding[]> {
  const cause = sql<string>`'payment:' || cast(payment.chain_id as text) || ':' || payment.tx_hash || ':' || cast(payment.ordinal as text)`
  const credits = await db.read
    .selectFrom('payment')
    .select(['chain_id', 'tx_hash', 'ordinal', 'bytes'])
    .where('state', '=', 'credited')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('ledger_entry')
            .select('ledger_entry.id')
            .where('ledger_entry.cause', '=', cause)
            .whereRef('ledger_entry.bytes', '=', 'payment.bytes')
            .whereRef('ledger_entry.address', '=', 'payment.address'),
        ),
      ),
    )
    .limit(maxFindings)
    .execute()
  const entries = await db.read
    .selectFrom('ledger_entry')
    .select(['cause', 'bytes'])
    .where('kind', '=', 'payment')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('payment')
            .select('payment.id')
            .where('payment.state', '=', 'credited')
            .whereRef('ledger_entry.cause', '=', cause),
        ),
      ),
    )
    .limit(maxFindings)
    .execute()
  return [
    ...credits.map(
      (row): BookFinding => ({ kind: 'credit-without-entry', payment: causeOf(row), bytes: row.bytes ?? 0 }),
    ),
    ...entries.map((row): BookFinding => ({ kind: 'entry-without-credit', cause: row.cause, bytes: row.bytes })),
  ]
}

async function compareChain(
  { db }: Parts,
  network: PaymentNetwork,
  signal: AbortSignal | undefined,
): Promise<{ blocks: number; findings: BookFinding[] }> {
  const cursor = await findCursor(db.read, network)
  if (cursor === undefined) return { blocks: 0, findings: [] }
  const last = cursor.final_block
  const first = Math.max(network.startBlock, last - blocksAgain + 1)
  const reader = createChainReader(network, network.rpcUrls.at(-1) ?? '', signal)
  await reader.requireChain()
  // An endpoint that is behind, which following the chain tolerates, would report the newest payments as missing.
  if ((await reader.getBlock(last))?.hash !== cursor.final_hash) {
    throw new CairnError('UPSTREAM_FAILED', {
      message: `The last endpoint of ${network.name} does not have block ${last}, up to which payments were read`,
    })
  }
  const findings: BookFinding[] = []
  const rows = await db.read
    .selectFrom('payment')
    .select(['tx_hash', 'ordinal', 'units'])
    .where('chain_id', '=', network.chainId)
    .where('state', 'in', ['credited', 'refused', 'unpriced'])
    .where('block_number', '>=', first)
    .where('block_number', '<=', last)
    .execute()
  const known = new Map(rows.map((row) => [`${row.tx_hash}:${row.ordinal}`, row]))
  let range = network.maxRange
  for (let from = first; from <= last; ) {
    signal?.throwIfAborted()
    const to = Math.min(last, from + range - 1)
    const events = await reader.getPayments(from, to).catch((error: unknown) => {
      // Any failure may be a limit of the endpoint, which each reports differently.
      if (from === to) throw error
      range = Math.ceil((to - from + 1) / 2)
    })
    if (events === undefined) continue
    from = to + 1
    for (const event of events) {
      const { txHash, ordinal } = event
      const name = `${txHash}:${ordinal}`
      const row = known.get(name)
      known.delete(name)
      const units = event.units.toString()
      const about = { network: network.name, txHash, ordinal }
      if (row === undefined) findings.push({ kind: 'not-in-books', ...about, units })
      else if (row.units !== units) findings.push({ kind: 'other-amount', ...about, is: row.units, shouldBe: units })
    }
  }
  for (const { tx_hash: txHash, ordinal } of known.values()) {
    findings.push({ kind: 'not-on-chain', network: network.name, txHash, ordinal })
  }
  return { blocks: last - first + 1, findings }
}
