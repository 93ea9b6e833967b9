import { createClient } from '@cairn/sdk'
import { useConfig } from 'wagmi'
import { KeyRound } from '#icons'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { loadCode } from '../parts/load-code.ts'
import { requireWallet } from './connected-wallet.ts'
import { makeSessionKey } from './held-keys.ts'
import { answerKeySession, getKeySessionRequest } from './key-session-request.ts'
import { SignatureDialog } from './SignatureDialog.tsx'

/** Explains why the wallet needs a second signature, and requests it after a click. */
export function KeySessionDialog({ onClose }: { onClose: () => void }) {
  const network = useNetwork()
  const config = useConfig()
  const openSession = async () => {
    const asked = getKeySessionRequest()
    if (asked === undefined) return
    const wallet = requireWallet(config, asked.address)
    const { createHeldSessionKey, endKeySession, openKeySession } = await loadCode(import('./key-session-calls.ts'))
    const sessionKey = await makeSessionKey(createHeldSessionKey)
    const options = sessionKey === undefined ? {} : { sessionKey }
    const client = createClient({ network })
    const opened = await openKeySession(client, wallet, options)
    // The user closed the dialog, or the session ended, while the wallet was open.
    if (!answerKeySession(asked, opened)) await endKeySession(client, opened)
  }
  return (
    <SignatureDialog
      title={messages.signature.keysTitle}
      hint={messages.signature.keysHint}
      icon={KeyRound}
      onSign={openSession}
      onClose={onClose}
    />
  )
}
