import { createContext, use } from 'react'
import { messages } from '../messages/messages.ts'

/** Whether a wallet is connected. The shell provides it, so that no page loads what speaks to wallets to know. */
export const HasWallet = createContext(false)

/** The label of the sign-in button: a wallet that is connected already only signs. */
export function useSignInLabel(): string {
  return use(HasWallet) ? messages.session.signIn : messages.session.connect
}
