import { useConnection } from 'wagmi'
import { messages } from '../messages/messages.ts'
import { isPasskey, passkeyId, type WalletChoice } from './wallet-choice.ts'

/** The consequence of a rejection by the user, for the place where it happened. */
export type Rejection = { title: string; text: string }

/** Returns the consequence of a rejected connection. */
export function rejectionOf(choice: WalletChoice): Rejection {
  return isPasskey(choice)
    ? { title: messages.passkey.declinedTitle, text: messages.passkey.declinedConnect }
    : { title: messages.session.rejectedTitle, text: messages.wallet.rejectedConnect }
}

/** Returns the consequence of a rejected signature: one of a passkey is rejected in the browser, not in a wallet. */
export function useRejectedSignature(): Rejection {
  return useConnection().connector?.id === passkeyId
    ? { title: messages.passkey.declinedTitle, text: messages.passkey.declinedSign }
    : { title: messages.session.rejectedTitle, text: messages.wallet.rejectedSign }
}
