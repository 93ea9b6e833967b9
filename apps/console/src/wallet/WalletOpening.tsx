import { lazy, Suspense } from 'react'
import { words } from '../words/words.ts'
import { WalletWaiting } from './WalletAsked.tsx'
import { needsPairing, type WalletChoice } from './wallet-choice.ts'

const PairingCode = lazy(async () => ({ default: (await import('./PairingCode.tsx')).PairingCode }))

/** A wallet is being connected: its window is open, or it has to be given a code first. */
export function WalletOpening({ choice, onBack }: { choice: WalletChoice; onBack: () => unknown }) {
  return needsPairing(choice) ? (
    <Suspense>
      <PairingCode onBack={onBack} />
    </Suspense>
  ) : (
    <WalletWaiting icon={choice.icon} title={words.wallet.connecting(choice.name)} onBack={onBack}>
      {words.wallet.connectingHint}
    </WalletWaiting>
  )
}
