import { useConfig } from 'wagmi'
import { KeyRound } from '#icons'
import { messages } from '../messages/messages.ts'
import { queryClient } from '../network/query-client.ts'
import { useNetwork } from '../network/use-network.ts'
import { loadCode } from '../parts/load-code.ts'
import { requireWallet } from './connected-wallet.ts'
import { SignatureDialog } from './SignatureDialog.tsx'
import { getSession } from './session-store.ts'
import { clientOf } from './use-client.ts'

/** Signs in again at the key nodes that the session lacks, with one signature; the session stays as it is at the others. */
export function SignInAgainDialog({ onClose, onReached }: { onClose: () => void; onReached?: () => unknown }) {
  const network = useNetwork()
  const config = useConfig()
  const signInAgain = async () => {
    const session = getSession()
    if (session?.keySession === undefined) return onClose()
    const { address, keySession } = session
    const wallet = requireWallet(config, address)
    const { endKeySession, extendKeySession } = await loadCode(import('./key-session-calls.ts'))
    const client = clientOf(network, session)
    await extendKeySession(client, keySession, wallet)
    onClose()
    // The session ended while the wallet was open, so nothing else would end the new key sessions.
    if (getSession()?.keySession !== keySession) return endKeySession(client, keySession)
    onReached?.()
    await queryClient.invalidateQueries({ queryKey: ['key-report'] })
  }
  return (
    <SignatureDialog
      title={messages.signature.againTitle}
      hint={messages.signature.againHint}
      icon={KeyRound}
      onSign={signInAgain}
      onClose={onClose}
    />
  )
}
