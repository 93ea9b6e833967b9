import { use } from 'react'
import { messages } from '../messages/messages.ts'
import { useSession } from '../session/session-store.ts'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { HasWallet } from '../wallet/use-sign-in-label.ts'
import { AccountSheet } from './AccountSheet.tsx'
import { SignInSteps } from './SignInSteps.tsx'

/** The wallet dialog: sign-in, or the account of a signed-in user. */
export function WalletDialog({ onClose: close }: { onClose: () => void }) {
  const session = useSession()
  const isKnown = use(HasWallet)
  return session === undefined ? (
    <Modal
      isOpen
      onClose={close}
      title={isKnown ? messages.wallet.signTitle : messages.wallet.pickTitle}
      hint={isKnown ? messages.wallet.signHint : messages.wallet.pickHint}
    >
      <SignInSteps onDone={close} />
    </Modal>
  ) : (
    <Modal isOpen onClose={close} title={messages.wallet.account}>
      <AccountSheet session={session} onDone={close} />
    </Modal>
  )
}
