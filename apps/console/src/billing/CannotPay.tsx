import { isEvmAddress } from '@cairn/protocol'
import { useConnection } from 'wagmi'
import { messages } from '../messages/messages.ts'
import type { Session } from '../session/session-store.ts'
import { passkeyId } from '../wallet/wallet-choice.ts'

/** Returns why an account cannot pay: payments are made on EVM chains, by a wallet that sends transactions. */
export function useCannotPay({ address }: Pick<Session, 'address'>): 'solana' | 'passkey' | undefined {
  const { connector } = useConnection()
  if (!isEvmAddress(address)) return 'solana'
  return connector?.id === passkeyId ? 'passkey' : undefined
}

/** Explains why the account cannot pay, and the alternative. */
export function CannotPay({ reason, titleId }: { reason: 'solana' | 'passkey'; titleId?: string }) {
  const { title, hint } = messages.billing.cannotPay[reason]
  return (
    <>
      <h2 id={titleId} className="font-semibold">
        {title}
      </h2>
      <p className="mt-1 max-w-prose text-ink-soft text-sm">{hint}</p>
    </>
  )
}
