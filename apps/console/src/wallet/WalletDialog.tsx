import { useSession } from '../session/session-store.ts'
import { Modal } from '../ui/Modal.tsx'
import { words } from '../words/words.ts'
import { AccountSheet } from './AccountSheet.tsx'
import { SignInSteps } from './SignInSteps.tsx'
import { setWalletDialog } from './wallet-dialog-store.ts'

/** One dialog for the wallet: the way in, and, for who is in, the account. */
export function WalletDialog() {
  const session = useSession()
  const close = () => setWalletDialog(false)
  return session === undefined ? (
    <Modal isOpen onClose={close} title={words.wallet.pickTitle} hint={words.wallet.pickHint}>
      <SignInSteps onDone={close} />
    </Modal>
  ) : (
    <Modal isOpen onClose={close} title={words.wallet.account}>
      <AccountSheet session={session} onDone={close} />
    </Modal>
  )
}
