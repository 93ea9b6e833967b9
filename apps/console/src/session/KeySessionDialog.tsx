import { createClient } from '@cairn/sdk'
import { useConfig } from 'wagmi'
import { KeyRound } from '#icons'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { requireWallet } from '../wallet/connected-wallet.ts'
import { words } from '../words/words.ts'
import { makeSessionKey } from './held-keys.ts'
import { answerKeySession } from './key-session-request.ts'
import { SignatureDialog } from './SignatureDialog.tsx'
import { getSession } from './session-store.ts'

/** Says why the wallet is about to ask for a second signature, and asks for it when the user says so. */
export function KeySessionDialog() {
  const network = useNetwork()
  const config = useConfig()
  const openSession = async () => {
    const session = getSession()
    if (session === undefined) return answerKeySession(undefined)
    const wallet = requireWallet(config, session.address)
    const { createHeldSessionKey, openKeySession } = await import('./key-session-calls.ts')
    const sessionKey = await makeSessionKey(createHeldSessionKey)
    const options = sessionKey === undefined ? {} : { sessionKey }
    answerKeySession(await openKeySession(createClient({ network }), wallet, options))
  }
  return (
    <SignatureDialog
      title={words.signature.keysTitle}
      hint={words.signature.keysHint}
      icon={KeyRound}
      onSign={openSession}
      onClose={() => answerKeySession(undefined)}
    />
  )
}
