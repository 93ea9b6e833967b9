import { CairnError } from '@cairn/sdk'
import { useRef, useState } from 'react'
import { useConfig } from 'wagmi'
import { PenLine } from '#icons'
import { shorten } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'
import {
  type ConnectedWallet,
  disconnectWallets,
  getConnectedWallet,
  useWalletAddress,
} from '../session/connected-wallet.ts'
import { signIn } from '../session/sign-in.ts'
import { changeSettings, useSettings } from '../theme/settings.ts'
import { Button } from '../ui/Button.tsx'
import { Tag } from '../ui/values/Tag.tsx'
import { rejectionOf, useRejectedSignature } from '../wallet/rejections.ts'
import { WalletIcon } from '../wallet/WalletIcon.tsx'
import { WalletList } from '../wallet/WalletList.tsx'
import { WalletOpening } from '../wallet/WalletOpening.tsx'
import { WalletFailed, WalletWaiting } from '../wallet/WalletRequest.tsx'
import { chooseWallet, connectWallet, type WalletChoice } from '../wallet/wallet-choice.ts'

type Step =
  | { name: 'pick' }
  | { name: 'connecting'; choice: WalletChoice }
  | { name: 'signing' }
  | { name: 'failed'; error: unknown; choice: WalletChoice | undefined }

/**
 * Sign-in from no wallet to a session, in one dialog: choose, connect, sign; each step states what the wallet will ask.
 */
export function SignInSteps({ onDone }: { onDone: () => void }) {
  const config = useConfig()
  const network = useNetwork()
  const { staysSignedIn } = useSettings()
  const [step, setStep] = useState<Step>({ name: 'pick' })
  // Going back cancels the wait for the wallet, whatever it answers later.
  const attempt = useRef(new AbortController())
  // Read again on each change of the address.
  const rejectedSignature = useRejectedSignature()
  const wallet = useWalletAddress() === undefined ? undefined : getConnectedWallet(config)

  const run = async (
    next: Step,
    choice: WalletChoice | undefined,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> => {
    const { signal } = begin()
    setStep(next)
    try {
      await work(signal)
    } catch (error) {
      // The wallet shows another account by now: the first step names it.
      if (CairnError.is(error, 'ABORTED') && !signal.aborted) setStep({ name: 'pick' })
      else if (!signal.aborted) setStep({ name: 'failed', error, choice })
      return false
    }
    return !signal.aborted
  }
  const begin = (): AbortController => {
    attempt.current.abort()
    attempt.current = new AbortController()
    return attempt.current
  }
  const sign = async () => {
    if (await run({ name: 'signing' }, undefined, (signal) => signIn(network, config, staysSignedIn, signal))) onDone()
  }
  const pick = async (choice: WalletChoice) => {
    const connect = (signal: AbortSignal) => connectWallet(config, choice, signal)
    if (!(await run({ name: 'connecting', choice }, choice, connect))) return
    chooseWallet(choice)
    await sign()
  }
  const restart = async () => {
    begin()
    setStep({ name: 'pick' })
    await disconnectWallets(config)
  }

  if (step.name === 'connecting') return <WalletOpening choice={step.choice} onBack={restart} />
  if (step.name === 'signing') {
    return (
      <WalletWaiting icon={wallet?.icon} title={messages.wallet.signing} onBack={restart}>
        {messages.wallet.signingHint}
      </WalletWaiting>
    )
  }
  if (step.name === 'failed') {
    const { error, choice } = step
    const again = () => (choice === undefined ? sign() : pick(choice))
    const rejected = choice === undefined ? rejectedSignature : rejectionOf(choice)
    return <WalletFailed error={error} rejected={rejected} onRetry={again} onBack={restart} />
  }
  return (
    <div className="flex flex-col gap-5">
      {wallet === undefined ? (
        <WalletList onPick={(choice) => void pick(choice)} />
      ) : (
        <Connected wallet={wallet} onSign={sign} onBack={restart} />
      )}
      <label className="flex min-h-6 items-center gap-2.5 text-sm pointer-coarse:min-h-11">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={staysSignedIn}
          onChange={({ target }) => changeSettings({ staysSignedIn: target.checked })}
        />
        {messages.wallet.staySignedIn}
      </label>
    </div>
  )
}

/** A connected wallet that has not signed yet. */
function Connected({
  wallet: { family, address, name, icon },
  onSign,
  onBack,
}: {
  wallet: ConnectedWallet
  onSign: () => unknown
  onBack: () => unknown
}) {
  return (
    <div className="flex flex-col gap-4">
      <p className="flex items-center gap-3 rounded-lg border border-line p-3">
        <WalletIcon icon={icon} />
        <span className="min-w-0 flex-1">
          <span className="block font-medium text-sm">{name}</span>
          <span title={address} className="font-mono text-ink-soft text-sm">
            {shorten(address)}
          </span>
        </span>
        <Tag>{messages.wallet.families[family]}</Tag>
      </p>
      <p className="text-ink-soft text-sm">{messages.wallet.signingHint}</p>
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" onClick={() => void onSign()}>
          <PenLine aria-hidden="true" size={16} />
          {messages.session.signIn}
        </Button>
        <Button onClick={() => void onBack()}>{messages.wallet.back}</Button>
      </div>
    </div>
  )
}
