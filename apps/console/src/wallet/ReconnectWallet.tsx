import { useState } from 'react'
import { useConfig } from 'wagmi'
import { Button } from '../ui/Button.tsx'
import { words } from '../words/words.ts'
import type { WalletFamily } from './recent-wallet.ts'
import { WalletFailed } from './WalletAsked.tsx'
import { WalletList } from './WalletList.tsx'
import { WalletOpening } from './WalletOpening.tsx'
import { connectWallet, type WalletChoice } from './wallet-choice.ts'

type Step =
  | { name: 'closed' | 'pick' }
  | { name: 'asking'; choice: WalletChoice }
  | { name: 'failed'; choice: WalletChoice; error: unknown }

/** A session outlives its wallet's connection; here the wallet comes back before something has to be signed. */
export function ReconnectWallet({ family }: { family: WalletFamily }) {
  const config = useConfig()
  const [step, setStep] = useState<Step>({ name: 'closed' })
  const pick = async (choice: WalletChoice) => {
    setStep({ name: 'asking', choice })
    try {
      await connectWallet(config, choice, new AbortController().signal)
    } catch (error) {
      setStep({ name: 'failed', choice, error })
    }
  }
  const back = () => setStep({ name: 'pick' })
  switch (step.name) {
    case 'closed':
      return (
        <div className="flex flex-col items-start gap-3 rounded-lg bg-sunken p-3 text-sm">
          <p className="text-ink-soft">{words.wallet.walletLocked}</p>
          <Button size="small" onClick={back}>
            {words.wallet.connectAgain}
          </Button>
        </div>
      )
    case 'pick':
      return <WalletList only={family} onPick={(choice) => void pick(choice)} />
    case 'asking':
      return <WalletOpening choice={step.choice} onBack={back} />
    case 'failed':
      return (
        <WalletFailed
          error={step.error}
          rejected={words.wallet.rejectedConnect}
          onRetry={() => pick(step.choice)}
          onBack={back}
        />
      )
  }
}
