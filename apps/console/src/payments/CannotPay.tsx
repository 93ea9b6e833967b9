import { words } from '../words/words.ts'

/** Payments are made and credited on EVM chains: what an account of another kind can do instead. */
export function CannotPay() {
  return (
    <>
      <h2 className="font-semibold">{words.storage.evmOnly}</h2>
      <p className="mt-1 max-w-prose text-ink-soft text-sm">{words.storage.evmOnlyHint}</p>
    </>
  )
}
