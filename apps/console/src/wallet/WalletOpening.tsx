import { Suspense } from 'react'
import { messages } from '../messages/messages.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import { WalletWaiting } from './WalletRequest.tsx'
import { isPasskey, needsPairing, type WalletChoice } from './wallet-choice.ts'

const PairingCode = lazyPart(async () => (await import('./PairingCode.tsx')).PairingCode)

const PasskeyChoice = lazyPart(async () => (await import('./PasskeyChoice.tsx')).PasskeyChoice)

/** A connecting wallet: its window is open, or it needs a pairing code or a choice first. */
export function WalletOpening({ choice, onBack }: { choice: WalletChoice; onBack: () => unknown }) {
  if (isPasskey(choice)) {
    return (
      <Suspense>
        <PasskeyChoice onBack={onBack} />
      </Suspense>
    )
  }
  return needsPairing(choice) ? (
    <Suspense>
      <PairingCode onBack={onBack} />
    </Suspense>
  ) : (
    <WalletWaiting icon={choice.icon} title={messages.wallet.connecting(choice.name)} onBack={onBack}>
      {messages.wallet.connectingHint}
    </WalletWaiting>
  )
}
