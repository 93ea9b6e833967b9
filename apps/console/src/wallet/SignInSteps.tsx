import { useRef, useState } from 'react'
import { useConfig } from 'wagmi'
import { PenLine } from '#icons'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { signIn } from '../session/sign-in.ts'
import { changeSettings, useSettings } from '../theme/settings.ts'
import { Button } from '../ui/Button.tsx'
import { Tag } from '../ui/Tag.tsx'
import { shorten } from '../words/format.ts'
import { words } from '../words/words.ts'
import { type ConnectedWallet, disconnectWallets, getConnectedWallet, useWalletAddress } from './connected-wallet.ts'
import { WalletFailed, WalletWaiting } from './WalletAsked.tsx'
import { WalletIcon } from './WalletIcon.tsx'
import { WalletList } from './WalletList.tsx'
import { WalletOpening } from './WalletOpening.tsx'
import { chooseWallet, connectWallet, type WalletChoice } from './wallet-choice.ts'

type Step =
  | { name: 'pick' }
  | { name: 'connecting'; choice: WalletChoice }
  | { name: 'signing' }
  | { name: 'failed'; error: unknown; choice: WalletChoice | undefined }

/** From no wallet to signed in, in one dialog: pick, approve, sign; each step says what the wallet is about to ask. */
export function SignInSteps({ onDone }: { onDone: () => void }) {
  const config = useConfig()
  const network = useNetwork()
  const { staysSignedIn } = useSettings()
  const [step, setStep] = useState<Step>({ name: 'pick' })
  // Who goes back does not wait for the wallet any more, whatever it answers later.
  const attempt = useRef(new AbortController())
  // Read anew with each change of the address.
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
      if (!signal.aborted) setStep({ name: 'failed', error, choice })
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
    if (await run({ name: 'signing' }, undefined, () => signIn(network, config, staysSignedIn))) onDone()
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
      <WalletWaiting icon={wallet?.icon} title={words.wallet.signing} onBack={restart}>
        {words.wallet.signingHint}
      </WalletWaiting>
    )
  }
  if (step.name === 'failed') {
    const { error, choice } = step
    const again = () => (choice === undefined ? sign() : pick(choice))
    const rejected = choice === undefined ? words.wallet.rejectedSign : words.wallet.rejectedConnect
    return <WalletFailed error={error} rejected={rejected} onRetry={again} onBack={restart} />
  }
  return (
    <div className="flex flex-col gap-5">
      {wallet === undefined ? (
        <WalletList onPick={(choice) => void pick(choice)} />
      ) : (
        <Connected wallet={wallet} onSign={sign} onBack={restart} />
      )}
      <label className="flex items-center gap-2.5 text-sm">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={staysSignedIn}
          onChange={({ target }) => changeSettings({ staysSignedIn: target.checked })}
        />
        {words.wallet.staySignedIn}
      </label>
    </div>
  )
}

/** A wallet that is connected and has not signed yet. */
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
        <Tag>{words.wallet.families[family]}</Tag>
      </p>
      <p className="text-ink-soft text-sm">{words.wallet.signingHint}</p>
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" onClick={() => void onSign()}>
          <PenLine aria-hidden="true" size={16} />
          {words.session.signIn}
        </Button>
        <Button onClick={() => void onBack()}>{words.wallet.back}</Button>
      </div>
    </div>
  )
}
