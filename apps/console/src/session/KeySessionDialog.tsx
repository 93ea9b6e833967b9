import { createClient } from '@cairn/sdk'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useConfig } from 'wagmi'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { Modal } from '../ui/Modal.tsx'
import { requireWallet } from '../wallet/connected-wallet.ts'
import { readWalletFault } from '../wallet/wallet-fault.ts'
import { words } from '../words/words.ts'
import { makeSessionKey } from './held-keys.ts'
import { answerKeySession } from './key-session-request.ts'
import { getSession } from './session-store.ts'

/** Says why the wallet is about to ask for a second signature, and asks for it when the user says so. */
export function KeySessionDialog() {
  const network = useNetwork()
  const config = useConfig()
  const [isSigning, setSigning] = useState(false)
  const [error, setError] = useState<unknown>()

  const sign = async () => {
    setSigning(true)
    setError(undefined)
    try {
      const session = getSession()
      if (session === undefined) return answerKeySession(undefined)
      const wallet = requireWallet(config, session.address)
      const { createHeldSessionKey, openKeySession } = await import('./key-session-calls.ts')
      const sessionKey = await makeSessionKey(createHeldSessionKey)
      const options = sessionKey === undefined ? {} : { sessionKey }
      const keySession = await openKeySession(createClient({ network }), wallet, options)
      answerKeySession(keySession)
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
      onClose={() => answerKeySession(undefined)}
      title={words.signature.keysTitle}
      hint={words.signature.keysHint}
      footer={
        <>
          <Button onClick={() => answerKeySession(undefined)}>{words.shell.cancel}</Button>
          <Button kind="primary" isBusy={isSigning} onClick={() => void sign()}>
            {isSigning ? (
              words.signature.keysSigning
            ) : (
              <>
                <KeyRound aria-hidden="true" size={16} />
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
