import { createContext, use } from 'react'
import { messages } from '../messages/messages.ts'

/** Whether a wallet is connected. The shell provides it, so that pages need not load the code of wallets for it. */
export const HasWallet = createContext(false)

/** Returns the label of the sign-in button, which depends on whether a wallet is already connected. */
export function useSignInLabel(): string {
  return use(HasWallet) ? messages.session.signIn : messages.session.connect
}
