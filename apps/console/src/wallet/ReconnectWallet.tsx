import { useState } from 'react'
import { useConfig } from 'wagmi'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import type { WalletFamily } from './recent-wallet.ts'
import { rejectionOf } from './rejections.ts'
import { WalletList } from './WalletList.tsx'
import { WalletOpening } from './WalletOpening.tsx'
import { WalletFailed } from './WalletRequest.tsx'
import { connectWallet, type WalletChoice } from './wallet-choice.ts'

type Step =
  | { name: 'closed' | 'pick' }
  | { name: 'asking'; choice: WalletChoice }
  | { name: 'failed'; choice: WalletChoice; error: unknown }

/** Reconnects the wallet of a session before a signature is required. */
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
          <p className="text-ink-soft">{messages.wallet.walletLocked}</p>
          <Button size="small" onClick={back}>
            {messages.wallet.connectAgain}
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
          rejected={rejectionOf(step.choice)}
          onRetry={() => pick(step.choice)}
          onBack={back}
        />
      )
  }
}
