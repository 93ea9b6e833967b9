/** State of a payment: `unpriced` waits for a price, `refused` buys nothing, for the stored reason. */
type PaymentState = 'seen' | 'unpriced' | 'credited' | 'refused' | 'orphaned'

/** One payment event of a chain; unique per (chain, transaction, ordinal within it). */
type PaymentTable = {
  id: string
  network: string
  chain_id: number
  tx_hash: string
  ordinal: number
  block_number: number
  block_hash: string
  block_time: number
  payer: string
  /** The account that receives the storage. */
  address: string
  /** Contract of the token; empty for the chain's own coin. */
  token: string
  /** `native`, a stablecoin's name, or empty for a token that is not configured. */
  coin: string
  /** Smallest units, decimal. */
  units: string
  state: PaymentState
  reason: string | null
  /** Code and values of the reason, as JSON. */
  reason_facts: string | null
  /** Price at which it was credited: `price / 10^price_decimals` dollars per coin. */
  price: string | null
  price_decimals: number | null
  price_source: string | null
  bytes: number | null
  created_at: number
  updated_at: number
  credited_at: number | null
}

/** Changes of an account's limit. Rows are only ever added; their sum is the limit. */
type LedgerEntryTable = {
  id: string
  address: string
  kind: 'allowance' | 'payment' | 'adjustment'
  /** The cause: each is entered only once. */
  cause: string
  bytes: number
  note: string
  created_at: number
}

/** How far a chain was read. */
type ChainCursorTable = {
  chain_id: number
  contract: string
  final_block: number
  final_hash: string
  head_block: number
  checked_at: number
  /** Why nothing is credited at present; null otherwise. */
  fault: string | null
  /** Code and values of the error, as JSON. */
  fault_facts: string | null
}

/** Result of a check of the books. */
type ReportTable = { id: string; kind: string; created_at: number; findings: number; body: string }

/** Payments, and the books. */
export type PaymentTables = {
  payment: PaymentTable
  ledger_entry: LedgerEntryTable
  chain_cursor: ChainCursorTable
  report: ReportTable
}
