import { lazy, Suspense } from 'react'
import { messages } from '../messages/messages.ts'
import { WalletWaiting } from './WalletRequest.tsx'
import { needsPairing, type WalletChoice } from './wallet-choice.ts'

const PairingCode = lazy(async () => ({ default: (await import('./PairingCode.tsx')).PairingCode }))

/** A connecting wallet: its window is open, or it needs a pairing code first. */
export function WalletOpening({ choice, onBack }: { choice: WalletChoice; onBack: () => unknown }) {
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
