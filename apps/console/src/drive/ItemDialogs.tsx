import type { Drive } from '@cairn/sdk'
import { SignLinkDialog } from '../files/SignLinkDialog.tsx'
import { messages } from '../messages/messages.ts'
import { NameDialog } from '../ui/dialogs/NameDialog.tsx'
import { ZipDialog } from '../zip/ZipDialog.tsx'
import { LabelsDialog } from './LabelsDialog.tsx'
import { MoveDialog } from './MoveDialog.tsx'
import { ShareItemsDialog } from './ShareItemsDialog.tsx'
import { toZipItems } from './to-zip-items.ts'
import type { ItemDialog } from './use-item-actions.ts'
import type { ItemEdits } from './use-item-edits.ts'
import { VersionsDialog } from './VersionsDialog.tsx'
import { WhenListed } from './WhenListed.tsx'

/** The open dialog of the drive. */
export function ItemDialogs({
  dialog,
  drive,
  folderId,
  knownTags,
  edits,
  onClose,
}: {
  dialog: ItemDialog
  drive: Drive
  folderId: string
  knownTags: readonly string[]
  edits: ItemEdits
  onClose: () => void
}) {
  const { kind } = dialog
  if (kind === 'folder') {
    return (
      <NameDialog
        title={messages.drive.newFolder}
        label={messages.drive.newFolderLabel}
        hint={messages.drive.newFolderHint}
        submitLabel={messages.drive.create}
        onSave={(name) => edits.createFolder(folderId, name)}
        onClose={onClose}
      />
    )
  }
  if (kind === 'rename') {
    const { id, name } = dialog.item
    return (
      <NameDialog
        title={messages.drive.renameTitle}
        label={messages.files.renameLabel}
        hint={messages.drive.renameHint}
        submitLabel={messages.files.renameSave}
        name={name}
        onSave={(next) => edits.rename(id, next)}
        onClose={onClose}
      />
    )
  }
  if (kind === 'versions') {
    const { id } = dialog.item
    return (
      <VersionsDialog
        item={dialog.item}
        onUse={(cid) => {
          void edits.applyVersion(id, cid)
          onClose()
        }}
        onClose={onClose}
      />
    )
  }
  if (kind === 'sign-link') return <SignLinkDialog content={dialog.content} onClose={onClose} />
  const { items } = dialog
  const ids = items.map(({ id }) => id)
  if (kind === 'share') {
    return (
      <WhenListed title={messages.files.share} {...{ drive, items, onClose }}>
        <ShareItemsDialog drive={drive} items={items} onClose={onClose} />
      </WhenListed>
    )
  }
  if (kind === 'zip') {
    const [only] = items
    const name = items.length === 1 && only !== undefined ? only.name : messages.drive.zipName
    return (
      <WhenListed title={messages.drive.zipTitle(0)} {...{ drive, items, onClose }}>
        <ZipDialog name={`${name}.zip`} {...toZipItems(drive, items)} onClose={onClose} />
      </WhenListed>
    )
  }
  if (kind === 'move') {
    return (
      <MoveDialog
        drive={drive}
        items={items}
        refusedBy={dialog.refusedBy}
        onMove={(folderId, newName) => edits.move(ids, folderId, newName)}
        onClose={onClose}
      />
    )
  }
  return (
    <LabelsDialog
      items={items}
      knownTags={knownTags}
      onSave={(change) => edits.setLabels(ids, change)}
      onClose={onClose}
    />
  )
}
