import { messages } from '../messages/messages.ts'
import { Segments } from '../ui/forms/Segments.tsx'

/** How chosen folders are uploaded: each as one, or its files separately. */
export function FolderChoice({
  isSeparate,
  onChange,
  isEncrypted,
  leftOut,
  isEmpty,
}: {
  isSeparate: boolean
  onChange: (isSeparate: boolean) => void
  isEncrypted: boolean
  /** Number of empty folders, which separate files cannot contain. */
  leftOut: number
  /** Nothing else was chosen. */
  isEmpty: boolean
}) {
  const { upload } = messages
  return (
    <div className="flex flex-col gap-2">
      <Segments
        label={upload.folderAs}
        isLabelShown
        value={isSeparate ? 'separate' : 'one'}
        options={[
          { value: 'one', label: upload.folderOne },
          { value: 'separate', label: upload.folderSeparate },
        ]}
        onChange={(value) => onChange(value === 'separate')}
      />
      {isEncrypted ? (
        <p className="text-ink-soft text-sm">
          {isSeparate ? upload.folderSeparateEncrypted : upload.folderOneEncrypted}
        </p>
      ) : undefined}
      <p role="status" className="text-sm text-warn empty:hidden">
        {leftOut === 0 ? undefined : isEmpty ? upload.onlyEmptyFolders : upload.emptyFoldersLeftOut(leftOut)}
      </p>
    </div>
  )
}
