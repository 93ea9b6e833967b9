import { CircleSlash, PenLine } from 'lucide-react'
import { useState } from 'react'
import { type Connector, useConfig, useConnection } from 'wagmi'
import { connect, disconnect, getConnection } from 'wagmi/actions'
import { useNetwork } from '../network/NetworkProvider.tsx'
import { signIn } from '../session/sign-in.ts'
import { changeSettings, useSettings } from '../theme/settings.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { shorten } from '../words/format.ts'
import { words } from '../words/words.ts'
import { WalletIcon, WalletList } from './WalletList.tsx'
import { readWalletFault } from './wallet-fault.ts'

type Step =
  | { name: 'pick' }
  | { name: 'connecting'; connector: Connector }
  | { name: 'signing' }
  | { name: 'failed'; at: 'connect' | 'sign'; error: unknown; connector: Connector | undefined }

/** From no wallet to signed in, in one dialog: pick, approve, sign; each step says what the wallet is about to ask. */
export function SignInSteps({ onDone }: { onDone: () => void }) {
  const config = useConfig()
  const network = useNetwork()
  const connection = useConnection()
  const { staysSignedIn } = useSettings()
  const [step, setStep] = useState<Step>({ name: 'pick' })

  const sign = async () => {
    setStep({ name: 'signing' })
    try {
      await signIn(network, config, staysSignedIn)
      onDone()
    } catch (error) {
      setStep({ name: 'failed', at: 'sign', error, connector: undefined })
    }
  }
  const pick = async (connector: Connector) => {
    setStep({ name: 'connecting', connector })
    try {
      if (getConnection(config).connector?.uid !== connector.uid) await connect(config, { connector })
    } catch (error) {
      setStep({ name: 'failed', at: 'connect', error, connector })
      return
    }
    await sign()
  }
  const restart = async () => {
    setStep({ name: 'pick' })
    await disconnect(config)
  }

  if (step.name === 'connecting') {
    return (
      <Waiting icon={step.connector.icon} title={words.session.connecting(step.connector.name)}>
        {words.session.connectingHint}
      </Waiting>
    )
  }
  if (step.name === 'signing') {
    return (
      <Waiting icon={connection.connector?.icon} title={words.session.signing}>
        {words.session.signingHint}
      </Waiting>
    )
  }
  if (step.name === 'failed') {
    const { at, error, connector } = step
    const again = () => (connector === undefined ? sign() : pick(connector))
    return <Failed at={at} error={error} onRetry={again} onBack={restart} />
  }
  return (
    <div className="flex flex-col gap-5">
      {connection.status === 'connected' ? (
        <div className="flex flex-col gap-4">
          <p className="flex items-center gap-3 rounded-lg border border-line p-3">
            <WalletIcon icon={connection.connector.icon} />
            <span className="min-w-0 flex-1">
              <span className="block font-medium text-sm">{connection.connector.name}</span>
              <span title={connection.address} className="font-mono text-ink-soft text-sm">
                {shorten(connection.address)}
              </span>
            </span>
          </p>
          <p className="text-ink-soft text-sm">{words.session.signingHint}</p>
          <div className="flex flex-wrap gap-2">
            <Button kind="primary" onClick={() => void sign()}>
              <PenLine aria-hidden="true" size={16} />
              {words.session.signIn}
            </Button>
            <Button onClick={() => void restart()}>{words.session.back}</Button>
          </div>
        </div>
      ) : (
        <WalletList onPick={(connector) => void pick(connector)} />
      )}
      <label className="flex items-center gap-2.5 text-sm">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={staysSignedIn}
          onChange={({ target }) => changeSettings({ staysSignedIn: target.checked })}
        />
        {words.session.staySignedIn}
      </label>
    </div>
  )
}

function Waiting({ icon, title, children }: { icon: string | undefined; title: string; children: string }) {
  return (
    <div role="status" className="flex flex-col items-center gap-3 py-6 text-center">
      <WalletIcon icon={icon} size={48} />
      <h3 className="flex items-center gap-2.5 font-semibold">
        <Spinner />
        {title}
      </h3>
      <p className="max-w-sm text-ink-soft text-sm">{children}</p>
    </div>
  )
}

function Failed({
  at,
  error,
  onRetry,
  onBack,
}: {
  at: 'connect' | 'sign'
  error: unknown
  onRetry: () => unknown
  onBack: () => unknown
}) {
  const fault = readWalletFault(error)
  const actions = <Button onClick={() => void onBack()}>{words.session.back}</Button>
  if (fault === 'other' || fault === 'missing') {
    return (
      <ErrorState error={error} onRetry={onRetry}>
        {actions}
      </ErrorState>
    )
  }
  const isBusy = fault === 'busy'
  return (
    <div role="alert" className="flex flex-col items-center gap-3 py-6 text-center">
      <CircleSlash aria-hidden="true" size={28} className="text-warn" strokeWidth={1.75} />
      <h3 className="font-semibold">{isBusy ? words.session.busyTitle : words.session.rejectedTitle}</h3>
      <p className="max-w-sm text-ink-soft text-sm">
        {isBusy
          ? words.session.busyHint
          : at === 'connect'
            ? words.session.rejectedConnect
            : words.session.rejectedSign}
      </p>
      <div className="mt-2 flex flex-wrap justify-center gap-2">
        <Button kind="primary" onClick={() => void onRetry()}>
          {words.shell.retry}
        </Button>
        {actions}
      </div>
    </div>
  )
}
