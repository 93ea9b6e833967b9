import type { KeySession } from '@cairn/sdk'

/** The signed-in account and its credentials. */
export type Session = {
  /** Address of the account, as the wallet writes it. */
  address: string
  /** Credential for the storage service, which expires. */
  apiKey: string
  /** Expiry in ms since 1970. */
  expiresAt: number
  /** Credentials of the key nodes, once they were required. */
  keySession?: KeySession
  /** Whether the session stays after the last tab closes. */
  isLasting: boolean
}
