import { PenLine } from 'lucide-react'
import { useState } from 'react'
import { useConfig } from 'wagmi'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { Modal } from '../ui/Modal.tsx'
import { requireWallet } from '../wallet/connected-wallet.ts'
import { readWalletFault } from '../wallet/wallet-fault.ts'
import { words } from '../words/words.ts'
import type { Session } from './session-store.ts'
import { signIn } from './sign-in.ts'

/** Begins the session anew before it ends, with one signature; what is under way goes on. */
export function ExtendSessionDialog({ session, onClose }: { session: Session; onClose: () => void }) {
  const network = useNetwork()
  const config = useConfig()
  const [isSigning, setSigning] = useState(false)
  const [error, setError] = useState<unknown>()
  const sign = async () => {
    setSigning(true)
    setError(undefined)
    try {
      requireWallet(config, session.address)
      await signIn(network, config, session.isLasting)
      onClose()
    } catch (fault) {
      setError(fault)
    } finally {
      setSigning(false)
    }
  }
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={words.signature.extendTitle}
      hint={words.signature.extendHint}
      footer={
        <>
          <Button onClick={onClose}>{words.shell.cancel}</Button>
          <Button kind="primary" isBusy={isSigning} onClick={() => void sign()}>
            {isSigning ? (
              words.signature.keysSigning
            ) : (
              <>
                <PenLine aria-hidden="true" size={16} />
                {words.signature.keysGo}
              </>
            )}
          </Button>
        </>
      }
    >
      {error === undefined ? undefined : readWalletFault(error) === 'rejected' ? (
        <p role="alert" className="text-sm text-warn">
          {words.session.rejectedTitle}
        </p>
      ) : (
        <ErrorState error={error} />
      )}
    </Modal>
  )
}
