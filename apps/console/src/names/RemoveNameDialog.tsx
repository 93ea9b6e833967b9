import { type NameState, removeName } from '@cairn/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { toastDone, toastError } from '../ui/toast-store.ts'
import { words } from '../words/words.ts'
import { forgetDeviceName } from './device-names.ts'
import { labelOf } from './label-of.ts'

/** Takes a name off the account; says first what that means for its key. */
export function RemoveNameDialog({
  name,
  isOnDevice,
  onClose,
  onRemoved,
}: {
  name: NameState
  /** Its key goes as well. */
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
      if (isOnDevice && address !== undefined) await forgetDeviceName(address, name.name)
    },
    onSuccess: () => {
      toastDone(words.names.removed)
      onClose()
      onRemoved?.()
      // The page of this name alone would ask for what is gone.
      return queries.invalidateQueries({
        queryKey: ['names'],
        predicate: ({ queryKey }) => queryKey.length === 2 || queryKey[2] === 'on-device',
      })
    },
    onError: (fault) => toastError(words.names.removeFailed, fault),
  })
  return (
    <Confirm
      isOpen
      onClose={onClose}
      title={words.names.removeTitle(labelOf(name))}
      hint={
        name.keyHeld === 'service'
          ? words.names.removeHint
          : isOnDevice
            ? words.names.removeHintDevice
            : words.names.removeHintOwner
      }
      confirmLabel={words.names.remove}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  )
}
