import type { Scope } from '@cairn/protocol'

/** The account that calls, its key, and what the key may do. */
export type Caller = { address: string; keyId: string; scopes: readonly Scope[] }
