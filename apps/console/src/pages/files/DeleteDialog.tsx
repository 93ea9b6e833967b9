import type { FileEntry } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { deleteFiles } from '../../files/change-files.ts'
import { useClient } from '../../session/use-client.ts'
import { Confirm } from '../../ui/Confirm.tsx'
import { FileName } from '../../ui/FileName.tsx'
import { words } from '../../words/words.ts'

/** Names listed at most before they are only counted. */
const namesMost = 5

/** Asks before files are deleted, and says what that does not do. */
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
  const remove = useMutation({ mutationFn: () => deleteFiles(client, files), onSettled: onDone })
  return (
    <Confirm
      isOpen={files.length > 0}
      onClose={onClose}
      title={words.files.deleteTitle(files.length)}
      hint={words.files.deleteHint}
      confirmLabel={words.files.deleteConfirm}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <ul className="flex flex-col gap-1 rounded-lg bg-sunken px-4 py-3 text-sm">
        {files.slice(0, namesMost).map(({ id, fileName }) => (
          <li key={id} className="truncate">
            <FileName name={fileName} />
          </li>
        ))}
        {files.length > namesMost ? (
          <li className="text-ink-soft">{words.files.andMore(files.length - namesMost)}</li>
        ) : undefined}
      </ul>
    </Confirm>
  )
}
