import { CircleSlash } from '#icons'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/ErrorState.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { words } from '../words/words.ts'
import { WalletIcon } from './WalletIcon.tsx'
import { readWalletFault } from './wallet-fault.ts'

/** The wallet has a window open; a way back for who does not find it. */
export function WalletWaiting({
  icon,
  title,
  children,
  onBack,
}: {
  icon: string | undefined
  title: string
  children: string
  onBack: () => unknown
}) {
  return (
    <div className="flex flex-col items-center gap-3 py-6 text-center">
      <WalletIcon icon={icon} size={48} />
      <div role="status" className="flex flex-col items-center gap-3">
        <h3 className="flex items-center gap-2.5 font-semibold">
          <Spinner />
          {title}
        </h3>
        <p className="max-w-sm text-ink-soft text-sm">{children}</p>
      </div>
      <Button className="mt-2" onClick={() => void onBack()}>
        {words.wallet.back}
      </Button>
    </div>
  )
}

/** The wallet did not do what it was asked: declined, busy with another window, or broken. */
export function WalletFailed({
  error,
  rejected,
  onRetry,
  onBack,
}: {
  error: unknown
  /** What a refusal means here. */
  rejected: string
  onRetry: () => unknown
  onBack: () => unknown
}) {
  const fault = readWalletFault(error)
  const actions = <Button onClick={() => void onBack()}>{words.wallet.back}</Button>
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
      <h3 className="font-semibold">{isBusy ? words.wallet.busyTitle : words.session.rejectedTitle}</h3>
      <p className="max-w-sm text-ink-soft text-sm">{isBusy ? words.wallet.busyHint : rejected}</p>
      <div className="mt-2 flex flex-wrap justify-center gap-2">
        <Button kind="primary" onClick={() => void onRetry()}>
          {words.shell.retry}
        </Button>
        {actions}
      </div>
    </div>
  )
}
