import { useState } from 'react'
import type { IconComponent } from '#icons'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { Modal } from '../ui/Modal.tsx'
import { readWalletFault } from '../wallet/wallet-fault.ts'
import { words } from '../words/words.ts'

/** Says what a signature is for, and asks the wallet for it when the user says so. */
export function SignatureDialog({
  title,
  hint,
  icon: Icon,
  onSign,
  onClose,
}: {
  title: string
  hint: string
  icon: IconComponent
  onSign: () => Promise<void>
  onClose: () => void
}) {
  const [isSigning, setSigning] = useState(false)
  const [error, setError] = useState<unknown>()
  const sign = async () => {
    setSigning(true)
    setError(undefined)
    try {
      await onSign()
    } catch (fault) {
      setError(fault)
    } finally {
      setSigning(false)
    }
  }
  const wasRejected = error !== undefined && readWalletFault(error) === 'rejected'
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={title}
      hint={hint}
      footer={
        <>
          <Button onClick={onClose}>{words.shell.cancel}</Button>
          <Button kind="primary" isBusy={isSigning} onClick={() => void sign()}>
            {isSigning ? (
              words.signature.keysSigning
            ) : (
              <>
                <Icon aria-hidden="true" size={16} />
                {words.signature.keysGo}
              </>
            )}
          </Button>
        </>
      }
    >
      {wasRejected ? (
        <p role="alert" className="text-sm text-warn">
          {words.session.rejectedTitle}
        </p>
      ) : error === undefined ? undefined : (
        <ErrorState error={error} />
      )}
    </Modal>
  )
}
