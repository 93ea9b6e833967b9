import {
  type PaidTransaction,
  type PayEvent,
  type Payment,
  type PaymentParams,
  type PaySigner,
  pay as sendPayment,
  waitForCredit,
} from '@cairn/sdk'
import { useCallback, useState } from 'react'
import { useCairnContext } from './provider.ts'
import { type ActionState, useAction } from './use-action.ts'
import { useLatest } from './use-latest.ts'

/** A payment that the service has credited, or refused with a reason in `payments`. */
export type Paid = { transaction: PaidTransaction; payments: Payment[] }

/** What {@link usePay} returns. */
export type UsePay = ActionState<Paid> & {
  /**
   * Pays from a wallet, and waits until the service credits it. Has no effect while a payment runs. Never rejects:
   * returns undefined if it failed.
   * @param signer a provider of a browser wallet, a wallet client of viem, or a private key
   */
  pay: (signer: PaySigner, params: PaymentParams) => Promise<Paid | undefined>
  /** Last step of the running payment. */
  event: PayEvent | undefined
  /** Stops waiting. A transaction that the wallet has sent stays sent. */
  abort: () => void
  reset: () => void
}

/**
 * Pays for storage with a wallet that the app passes in.
 * @param options `onEvent`: called at each step. Store `txHash` at the step `sent`: the component may unmount before the payment
 *   is credited, and a payment must never be made twice
 */
export function usePay({ onEvent }: { onEvent?: (event: PayEvent) => void } = {}): UsePay {
  const { changes } = useCairnContext()
  const [event, setEvent] = useState<PayEvent>()
  const notify = useLatest(onEvent)
  const { run, ...action } = useAction(
    async ({ client, signal }, signer: PaySigner, params: PaymentParams): Promise<Paid> => {
      setEvent(undefined)
      const transaction = await sendPayment(client, signer, params, {
        signal,
        onEvent: (step) => {
          notify.current?.(step)
          if (!signal.aborted) setEvent(step)
        },
      })
      const payments = await waitForCredit(client, transaction.network, transaction.txHash, { signal })
      changes.notify('account')
      return { transaction, payments }
    },
    { whileRunning: 'ignore' },
  )
  const pay = useCallback((signer: PaySigner, params: PaymentParams) => run(signer, params), [run])
  return { ...action, pay, event: action.status === 'idle' ? undefined : event }
}
