import { createClient } from '@cairn/sdk'
import { useConfig } from 'wagmi'
import { KeyRound } from '#icons'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { loadCode } from '../parts/load-code.ts'
import { requireWallet } from './connected-wallet.ts'
import { makeSessionKey } from './held-keys.ts'
import { answerKeySession } from './key-session-request.ts'
import { SignatureDialog } from './SignatureDialog.tsx'
import { getSession } from './session-store.ts'

/** Explains why the wallet needs a second signature, and requests it after a click. */
export function KeySessionDialog() {
  const network = useNetwork()
  const config = useConfig()
  const openSession = async () => {
    const session = getSession()
    if (session === undefined) return answerKeySession(undefined)
    const wallet = requireWallet(config, session.address)
    const { createHeldSessionKey, openKeySession } = await loadCode(import('./key-session-calls.ts'))
    const sessionKey = await makeSessionKey(createHeldSessionKey)
    const options = sessionKey === undefined ? {} : { sessionKey }
    answerKeySession(await openKeySession(createClient({ network }), wallet, options))
  }
  return (
    <SignatureDialog
      title={messages.signature.keysTitle}
      hint={messages.signature.keysHint}
      icon={KeyRound}
      onSign={openSession}
      onClose={() => answerKeySession(undefined)}
    />
  )
}
