import type { FileEntry } from '@cairn/sdk'
import { messages } from '../messages/messages.ts'
import { useClient } from '../session/use-client.ts'
import { NameDialog } from '../ui/dialogs/NameDialog.tsx'
import { renameInLists } from './change-files.ts'

/** Renames an upload in lists. */
export function RenameDialog({ file, onClose }: { file: FileEntry; onClose: () => void }) {
  const client = useClient()
  return (
    <NameDialog
      title={messages.files.renameTitle}
      label={messages.files.renameLabel}
      hint={messages.files.renameHint}
      submitLabel={messages.files.renameSave}
      name={file.fileName}
      onSave={(name) => renameInLists(client, file, name)}
      onClose={onClose}
    />
  )
}
