import { messages } from '../messages/messages.ts'

/** Payments are made on EVM chains: explains the alternative for other accounts. */
export function CannotPay() {
  return (
    <>
      <h2 className="font-semibold">{messages.billing.evmOnly}</h2>
      <p className="mt-1 max-w-prose text-ink-soft text-sm">{messages.billing.evmOnlyHint}</p>
    </>
  )
}
