import { CircleSlash } from '#icons'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorState } from '../ui/states/ErrorState.tsx'
import { Spinner } from '../ui/states/Spinner.tsx'
import type { Rejection } from './rejections.ts'
import { WalletIcon } from './WalletIcon.tsx'
import { readWalletFailure } from './wallet-failure.ts'

/** The wallet has an open window; offers a way back. */
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
        {messages.wallet.back}
      </Button>
    </div>
  )
}

/** The request to the wallet failed: declined, busy with another window, or broken. */
export function WalletFailed({
  error,
  rejected,
  onRetry,
  onBack,
}: {
  error: unknown
  /** Meaning of a rejection in this context. */
  rejected: Rejection
  onRetry: () => unknown
  onBack: () => unknown
}) {
  const failure = readWalletFailure(error)
  const actions = <Button onClick={() => void onBack()}>{messages.wallet.back}</Button>
  if (failure === 'other' || failure === 'missing') {
    return (
      <ErrorState error={error} onRetry={onRetry}>
        {actions}
      </ErrorState>
    )
  }
  const isBusy = failure === 'busy'
  return (
    <div role="alert" className="flex flex-col items-center gap-3 py-6 text-center">
      <CircleSlash aria-hidden="true" size={28} className="text-warn" strokeWidth={1.75} />
      <h3 className="font-semibold">{isBusy ? messages.wallet.busyTitle : rejected.title}</h3>
      <p className="max-w-sm text-ink-soft text-sm">{isBusy ? messages.wallet.busyHint : rejected.text}</p>
      <div className="mt-2 flex flex-wrap justify-center gap-2">
        <Button kind="primary" onClick={() => void onRetry()}>
          {messages.shell.retry}
        </Button>
        {actions}
      </div>
    </div>
  )
}
