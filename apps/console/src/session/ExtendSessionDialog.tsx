import { useConfig } from 'wagmi'
import { PenLine } from '#icons'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import { requireWallet } from './connected-wallet.ts'
import { SignatureDialog } from './SignatureDialog.tsx'
import type { Session } from './session-store.ts'
import { signIn } from './sign-in.ts'

/** Renews the session before it expires, with one signature; work in progress continues. */
export function ExtendSessionDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const network = useNetwork()
  const config = useConfig()
  const extend = async () => {
    requireWallet(config, session.address)
    await signIn(network, config, session.isLasting)
    onClose()
  }
  return (
    <SignatureDialog
      title={messages.signature.extendTitle}
      hint={messages.signature.extendHint}
      icon={PenLine}
      onSign={extend}
      onClose={onClose}
    />
  )
}
