import type { Account, Hash, LocalAccount } from 'viem'
import { keccak256 } from 'viem/utils'

/** An account that signs on this machine, so that the hash of a transaction is known before it is sent. */
export type NotingAccount = {
  readonly account: LocalAccount
  /** The last transaction that it signed. */
  readonly last: () => Hash | undefined
}

/** Returns an account that notes what it signs; undefined for one of a wallet, which signs and sends in one step. */
export function noteSigned(account: Account): NotingAccount | undefined {
  if (account.type !== 'local') return undefined
  let last: Hash | undefined
  return {
    account: {
      ...account,
      // Not only own properties: the account may be an object of a class.
      address: account.address,
      nonceManager: account.nonceManager,
      async signTransaction(...request) {
        const signed = await account.signTransaction(...request)
        last = keccak256(signed)
        return signed
      },
    },
    last: () => last,
  }
}
