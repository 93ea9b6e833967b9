import type { Scope } from '@cairn/protocol'

/** The account that calls, its key, and what the key may do. */
export type Caller = {
  address: string
  keyId: string
  scopes: readonly Scope[]
  /** Set for a sender who has an upload link of the account, and no key. */
  uploadLink?: string
}
