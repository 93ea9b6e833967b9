import { useConfig } from 'wagmi'
import { PenLine } from '#icons'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { requireWallet } from '../wallet/connected-wallet.ts'
import { words } from '../words/words.ts'
import { SignatureDialog } from './SignatureDialog.tsx'
import type { Session } from './session-store.ts'
import { signIn } from './sign-in.ts'

/** Begins the session anew before it ends, with one signature; what is under way goes on. */
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
      title={words.signature.extendTitle}
      hint={words.signature.extendHint}
      icon={PenLine}
      onSign={extend}
      onClose={onClose}
    />
  )
}
