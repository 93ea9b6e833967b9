import { useState } from 'react'
import type { IconComponent } from '#icons'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { useRejectedSignature } from '../wallet/rejections.ts'
import { readWalletFailure } from '../wallet/wallet-failure.ts'

/** Explains the purpose of a signature, and requests it from the wallet after a click. */
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
  const rejected = useRejectedSignature()
  const [isSigning, setSigning] = useState(false)
  const [error, setError] = useState<unknown>()
  const sign = async () => {
    setSigning(true)
    setError(undefined)
    try {
      await onSign()
    } catch (failure) {
      setError(failure)
    } finally {
      setSigning(false)
    }
  }
  const wasRejected = error !== undefined && readWalletFailure(error) === 'rejected'
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={title}
      hint={hint}
      footer={
        <>
          <Button onClick={onClose}>{messages.shell.cancel}</Button>
          <Button kind="primary" data-first-focus isBusy={isSigning} onClick={() => void sign()}>
            {isSigning ? (
              messages.signature.keysSigning
            ) : (
              <>
                <Icon aria-hidden="true" size={16} />
                {messages.signature.keysGo}
              </>
            )}
          </Button>
        </>
      }
    >
      {wasRejected ? (
        <p role="alert" className="text-sm text-warn">
          {rejected.title}
        </p>
      ) : error === undefined ? undefined : (
        <ErrorState error={error} />
      )}
    </Modal>
  )
}
