import type { Generated } from 'kysely'

/** An account: a wallet address (EVM in lower case, or Solana in base58) and its storage limit. */
type AccountTable = {
  address: string
  created_at: number
  data_limit_bytes: number
  data_used_bytes: number
  reserved_bytes: number
  /** The free part of the limit; null while the account waits for it. */
  free_bytes: Generated<number | null>
  /** Number of the account's rows in `upload`, so that a listing need not count them. */
  upload_count: Generated<number>
  /** Number of events ever recorded: the sequence of the newest. */
  event_count: Generated<number>
  /** When the operator blocked it, and the reason; null for an account that is not blocked. */
  blocked_at: Generated<number | null>
  block_reason: Generated<string | null>
}

/** Bytes that all accounts store or reserve beyond what was paid for: one row. */
type FreeStorageTable = { one: number; used_bytes: number }

/** Free accounts opened per day (days since 1970) and caller, under a pseudonym of that day. */
type FreeAccountDayTable = { day: number; asker: string; accounts: number }

/**
 * A message for a wallet to sign; spent once `used_at` is set. `purpose` is `key`, `upload` or `either`; `api-key`
 * before the text named it. `key_grant` holds the rights of an API key created with it, as JSON.
 */
type ChallengeTable = {
  nonce: string
  address: string
  purpose: string
  key_grant: string | null
  message: string
  /** Who asked for it, as a pseudonym; null for messages of earlier versions. */
  asker: string | null
  created_at: number
  expires_at: number
  used_at: number | null
}

/** A text that was used to sign in. Kept until no replica would accept it any more. */
type SpentSignInTable = { address: string; id: string; kept_until: number }

/** An API key: `id` is the public part for look-ups, `secret_hash` the hash of the rest, `scopes` a JSON array. */
type ApiKeyTable = {
  id: string
  address: string
  name: string
  secret_hash: Uint8Array
  scopes: string
  created_at: number
  expires_at: number | null
  last_used_at: number | null
  revoked_at: number | null
}

/** Accounts, sign-in, and storage that nothing was paid for. */
export type AccountTables = {
  account: AccountTable
  free_storage: FreeStorageTable
  free_account_day: FreeAccountDayTable
  challenge: ChallengeTable
  spent_sign_in: SpentSignInTable
  api_key: ApiKeyTable
}
