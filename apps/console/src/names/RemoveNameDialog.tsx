import { type NameState, removeName } from '@cairn/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { messages } from '../messages/messages.ts'
import { getSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { Confirm } from '../ui/dialogs/Confirm.tsx'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'
import { clearDeviceName } from './device-names.ts'
import { labelOf } from './label-of.ts'

/** Removes a name from the account, after stating the consequence for its key. */
export function RemoveNameDialog({
  name,
  isOnDevice,
  onClose,
  onRemoved,
}: {
  name: NameState
  /** Its key is removed as well. */
  isOnDevice: boolean
  onClose: () => void
  onRemoved?: () => void
}) {
  const client = useClient()
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: async () => {
      const isListed = name.keyHeld === 'service' || name.value !== null
      if (isListed) await removeName(client, name.name)
      const address = getSession()?.address
      if (isOnDevice && address !== undefined) await clearDeviceName(address, name.name)
    },
    onSuccess: () => {
      toastDone(messages.names.removed)
      onClose()
      onRemoved?.()
      // Only the page of this name would fetch a removed name.
      return queries.invalidateQueries({
        queryKey: ['names'],
        predicate: ({ queryKey }) => queryKey.length === 2 || queryKey[2] === 'on-device',
      })
    },
    onError: (failure) => toastError(messages.names.removeFailed, failure),
  })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={messages.names.removeTitle(labelOf(name))}
      hint={
        name.keyHeld === 'service'
          ? messages.names.removeHint
          : isOnDevice
            ? messages.names.removeHintDevice
            : messages.names.removeHintOwner
      }
      confirmLabel={messages.names.remove}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  )
}
