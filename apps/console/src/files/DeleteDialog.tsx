import type { FileEntry } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useIsFolder } from '../content/use-is-folder.ts'
import { messages } from '../messages/messages.ts'
import { useClient } from '../session/use-client.ts'
import { Confirm } from '../ui/dialogs/Confirm.tsx'
import { ListedNames } from '../ui/values/ListedNames.tsx'
import { deleteFiles } from './change-files.ts'

const noFile = { cid: '', mimeType: '' }

/** Confirms the deletion of files, and states what it does not do. */
export function DeleteDialog({
  files,
  onClose,
  onDone,
}: {
  files: readonly FileEntry[]
  onClose: () => void
  onDone: () => void
}) {
  const client = useClient()
  const { isFolder = false } = useIsFolder(files[0] ?? noFile)
  const objects = files.filter(({ managedBy }) => managedBy === 's3').length
  const pins = files.filter(({ managedBy }) => managedBy === 'pin').length
  const hints = [
    messages.files.deleteHint(files.length),
    ...(objects === 0 ? [] : [messages.files.deleteObjects(objects)]),
    ...(pins === 0 ? [] : [messages.files.deletePins(pins)]),
  ]
  const remove = useMutation({ mutationFn: () => deleteFiles(client, files), onSettled: onDone })
  return (
    <Confirm
      isOpen={files.length > 0}
      onClose={onClose}
      title={messages.files.deleteTitle(files.length, isFolder)}
      hint={hints.join(' ')}
      confirmLabel={messages.files.deleteConfirm}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <ListedNames items={files.map(({ id, fileName }) => ({ id, name: fileName }))} />
    </Confirm>
  )
}
