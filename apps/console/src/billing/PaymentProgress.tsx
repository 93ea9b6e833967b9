import { Check, Circle, CircleAlert } from '#icons'
import { describeError } from '../messages/describe-error.ts'
import { describeReason } from '../messages/describe-reason.ts'
import { formatBytes, formatDecimal, withUnit } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Spinner } from '../ui/states/Spinner.tsx'
import { ShortCode } from '../ui/values/ShortCode.tsx'
import { dismissPayment, hidePayment, isDeclined, type PaymentStep, type RunningPayment } from './payment-store.ts'
import { sentIdOf } from './sent-payments.ts'

type Line = {
  id: string
  label: string /** At which steps it is under way. */
  during: readonly PaymentStep[]
  hint: string
}

const order: readonly PaymentStep[] = ['start', 'approve', 'pay', 'mined', 'final', 'credited']

/** A payment in progress, step by step: done, pending, failed. */
export function PaymentProgress({ payment }: { payment: RunningPayment }) {
  const { amount, symbol, sizeBytes, step, hasApproval, isSent, txHash, error, creditedBytes } = payment
  const { steps, stepHints } = messages.billing
  const lines: Line[] = [
    ...(hasApproval
      ? [{ id: 'approve', label: steps.approve, during: ['approve'] as const, hint: stepHints.wallet }]
      : []),
    {
      id: 'pay',
      label: steps.pay,
      during: hasApproval ? (['pay'] as const) : (['start', 'pay'] as const),
      hint: stepHints.wallet,
    },
    { id: 'mined', label: steps.mined, during: ['mined'], hint: stepHints.chain },
    { id: 'credited', label: steps.credited, during: ['final'], hint: finalHint(payment) },
  ]
  const isOver = error !== undefined || step === 'credited'
  return (
    <>
      <h2 id="payment-title" className="font-semibold">
        {messages.billing.stepsTitle}
      </h2>
      <p className="mt-1 text-ink-soft text-sm tabular">
        {formatBytes(creditedBytes ?? sizeBytes)} · {withUnit(formatDecimal(amount), symbol)}
      </p>
      <ol className="mt-4 flex flex-col gap-3" aria-live="polite">
        {lines.map(({ id, label, during, hint }) => {
          const isNow = during.includes(step)
          const isDone = !isNow && order.indexOf(step) > order.indexOf(during.at(-1) ?? 'start')
          return (
            <li key={id} className="flex gap-3 text-sm" {...(isNow ? { 'aria-current': 'step' } : {})}>
              <span className="mt-0.5 grid size-5 shrink-0 place-items-center">
                {isDone ? (
                  <Check aria-hidden="true" size={18} className="text-good" strokeWidth={2.5} />
                ) : isNow && error !== undefined ? (
                  <CircleAlert aria-hidden="true" size={18} className="text-bad" />
                ) : isNow ? (
                  <Spinner />
                ) : (
                  <Circle aria-hidden="true" size={16} className="text-ink-faint" />
                )}
              </span>
              <div>
                <p className={isNow || isDone ? 'font-medium' : 'text-ink-soft'}>
                  {label}
                  {isDone ? <span className="sr-only">, {messages.billing.stepDone}</span> : undefined}
                </p>
                {isNow && error === undefined ? <p className="text-ink-soft">{hint}</p> : undefined}
              </div>
            </li>
          )
        })}
      </ol>
      {txHash === undefined ? undefined : (
        <p className="mt-4 flex items-center gap-2 text-ink-soft text-sm">
          {messages.billing.transaction} <ShortCode text={txHash} label={messages.billing.copyTransaction} />
        </p>
      )}
      {error === undefined ? undefined : (
        <div role="alert" className="mt-4 rounded-lg bg-bad-soft p-3 text-bad text-sm">
          {isDeclined(error) ? (
            messages.billing.rejected
          ) : (
            <>
              <p className="font-medium">{describeError(error).message}</p>
              <p>{isSent ? messages.billing.sentButFailed : describeError(error).hint}</p>
              <p className="mt-1 text-xs">{messages.shell.errorCode(error.code)}</p>
            </>
          )}
        </div>
      )}
      {isOver ? (
        <Button kind={error === undefined ? 'primary' : 'plain'} className="mt-5 w-full" onClick={dismissPayment}>
          {/* Nothing was paid: the form is shown again unchanged. */}
          {error !== undefined && !isSent ? messages.shell.retry : messages.billing.done}
        </Button>
      ) : sentIdOf(payment) === undefined ? undefined : (
        <Waiting payment={payment} />
      )}
    </>
  )
}

/** Says that the page may be left; a payment of an earlier page may wait for what never comes, so it can be hidden. */
function Waiting({ payment: { txHash, report, isResumed = false } }: { payment: RunningPayment }) {
  const isUnseen = txHash === undefined || report?.payments.length === 0
  return (
    <>
      <p className="mt-4 text-ink-soft text-sm">
        {isResumed && isUnseen ? messages.billing.sentButFailed : messages.billing.canLeave}
      </p>
      {isResumed ? (
        <Button className="mt-5 w-full" onClick={hidePayment}>
          {messages.billing.hide}
        </Button>
      ) : undefined}
    </>
  )
}

/** The reason why the last step waits: missing blocks, or a missing credit. */
function finalHint({ report }: RunningPayment): string {
  const [seen] = report?.payments ?? []
  const blocks =
    seen?.confirmations == null ? '' : messages.billing.confirmations(seen.confirmations.have, seen.confirmations.need)
  const pause = report?.fault == null ? '' : describeReason(report.fault, report.faultFacts)
  return [messages.billing.stepHints.final, blocks, pause].filter((text) => text !== '').join(' ')
}
