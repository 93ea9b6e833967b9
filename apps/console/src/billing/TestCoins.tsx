import { useFaucet as askFaucet } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { messages } from '../messages/messages.ts'
import { queryClient } from '../network/query-client.ts'
import { useNetwork } from '../network/use-network.ts'
import { useClient } from '../session/use-client.ts'
import { Button } from '../ui/Button.tsx'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'

/** Networks of this name give away coins that are worth nothing. */
const localName = 'local'

/** Sends coins to try payments with, on a local network; elsewhere there is nothing to press. */
export function TestCoins({ address }: { address: string }) {
  const client = useClient()
  const { name } = useNetwork()
  const send = useMutation({
    mutationFn: () => askFaucet(client, address),
    onSuccess: async () => {
      toastDone(messages.billing.testCoinsSent)
      await Promise.all(['balance', 'wallet-outlook'].map((key) => queryClient.invalidateQueries({ queryKey: [key] })))
    },
    onError: (error) => toastError(messages.billing.testCoinsFailed, error),
  })
  if (name !== localName) return undefined
  return (
    <div className="mt-4 flex flex-wrap items-center gap-x-3 gap-y-2 border-line border-t pt-4 text-sm">
      <p className="min-w-0 flex-1 basis-40 text-ink-soft">{messages.billing.testCoinsHint}</p>
      <Button size="small" isBusy={send.isPending} onClick={() => send.mutate()}>
        {messages.billing.testCoins}
      </Button>
    </div>
  )
}
