import type { Client } from '@cairn/sdk'
import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { messages } from '../messages/messages.ts'
import { queryClient } from '../network/query-client.ts'
import { useClient } from '../session/use-client.ts'
import { Confirm } from '../ui/dialogs/Confirm.tsx'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'

type Named = { id: string; label: string }
type Revocation = { link: Named | undefined; ask: (link: Named | undefined) => void } & Pick<
  UseMutationResult<unknown, Error, string>,
  'mutate' | 'isPending'
>

/** Asks before a link is revoked, revokes it, and loads the list again. */
export function useRevocation({
  queryKey,
  revoke,
}: {
  queryKey: readonly string[]
  revoke: (client: Client, id: string) => Promise<unknown>
}): Revocation {
  const client = useClient()
  const [link, ask] = useState<Named>()
  const { mutate, isPending } = useMutation({
    mutationFn: (id: string) => revoke(client, id),
    onSuccess: () => {
      toastDone(messages.links.revokeDone)
      ask(undefined)
    },
    onError: (error) => toastError(messages.links.revokeFailed, error),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  })
  return { link, ask, mutate, isPending }
}

export function RevokeLink({
  revocation: { link, ask, mutate, isPending },
  hint,
}: {
  revocation: Revocation
  hint: string
}) {
  return (
    <Confirm
      isOpen={link !== undefined}
      onClose={() => ask(undefined)}
      title={messages.links.revokeTitle(link?.label ?? '')}
      hint={hint}
      confirmLabel={messages.links.revoke}
      isBusy={isPending}
      onConfirm={() => (link === undefined ? undefined : mutate(link.id))}
    />
  )
}
