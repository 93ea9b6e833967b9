import { type RefObject, useRef, useState } from 'react'
import { File, Folder, FolderUp, Upload, X } from '#icons'
import { formatBytes, formatCount } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { classNames } from '../ui/class-names.ts'
import { fieldClass } from '../ui/forms/TextField.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { toUploadItems } from './to-upload-items.ts'
import { countFiles, removeLine, renameLine, type UploadItem } from './upload-item.ts'
import { changeUploadSheet } from './upload-sheet-store.ts'

/** Maximum number of lines shown, and of further lines with invalid names. The others are only counted. */
const maxLines = 100

/** The chosen files, with editable names, and two ways to add more. */
export function ChosenFiles({
  all,
  items,
  failures,
  unreadable,
}: {
  /** The chosen files and folders. */
  all: readonly UploadItem[]
  /** Their lines: folders may be split into their files. */
  items: readonly UploadItem[]
  failures: ReadonlyMap<string, string>
  unreadable: number
}) {
  /** The line whose name is being typed: an unfinished name is not shown as an error. */
  const [typing, setTyping] = useState<string>()
  /** Lines that were focused. One beyond the maximum remains visible after its name is corrected. */
  const [used, setUsed] = useState<ReadonlySet<string>>(new Set())
  const rename = (id: string, name: string) => changeUploadSheet({ items: renameLine(all, id, name) })
  const add = (list: FileList | null) => {
    const files = [...(list ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }))
    if (files.length > 0) changeUploadSheet({ items: [...all, ...toUploadItems(files, true)] })
  }
  const shown = items.filter(({ id }, at) => at < maxLines || failures.has(id) || used.has(id)).slice(0, 2 * maxLines)
  const mayLackFolders = items.some((item) => item.kind === 'folder' && item.isChosen)
  return (
    <div className="flex flex-col gap-3">
      <Pickers isLarge={items.length === 0} onPick={add} />
      {mayLackFolders ? (
        <p className="text-ink-soft text-sm max-sm:hidden pointer-coarse:hidden">
          {messages.upload.emptyFoldersIfDropped}
        </p>
      ) : undefined}
      {unreadable > 0 ? <p className="text-sm text-warn">{messages.upload.unreadable(unreadable)}</p> : undefined}
      {items.length === 0 ? undefined : (
        <ul aria-label={messages.upload.files(items.length)} className="flex flex-col gap-1.5">
          {shown.map((item) => {
            const failure = typing === item.id ? undefined : failures.get(item.id)
            const Icon = item.kind === 'folder' ? Folder : File
            return (
              <li key={item.id}>
                <div className="flex items-center gap-2">
                  <Icon aria-hidden="true" size={18} className="shrink-0 text-ink-faint" />
                  <input
                    aria-label={messages.upload.nameOf(item.name)}
                    value={item.name}
                    onChange={({ target }) => {
                      if (!failures.has(item.id)) setTyping(item.id)
                      rename(item.id, target.value)
                    }}
                    onFocus={() => setUsed(new Set([...used, item.id]))}
                    onBlur={() => setTyping(undefined)}
                    {...(failure === undefined
                      ? {}
                      : { 'aria-invalid': true, 'aria-describedby': `upload-failure-${item.id}` })}
                    className={classNames(fieldClass, 'h-9 min-w-0 flex-1 pointer-coarse:h-11')}
                  />
                  <span className="min-w-16 shrink-0 whitespace-nowrap text-right text-ink-soft text-sm tabular">
                    {item.kind === 'folder'
                      ? messages.upload.folderFiles(countFiles([item]), formatBytes(item.sizeBytes))
                      : formatBytes(item.sizeBytes)}
                  </span>
                  <IconButton
                    icon={X}
                    size="small"
                    label={messages.upload.remove(item.name)}
                    onClick={() => changeUploadSheet({ items: removeLine(all, item.id) })}
                  />
                </div>
                {failure === undefined ? undefined : (
                  <p id={`upload-failure-${item.id}`} role="alert" className="mt-1 ml-6.5 text-bad text-sm">
                    {failure}
                  </p>
                )}
              </li>
            )
          })}
          {items.length > shown.length ? (
            <li className="ml-6.5 text-ink-soft text-sm">
              {messages.upload.andMore(formatCount(items.length - shown.length))}
            </li>
          ) : undefined}
        </ul>
      )}
    </div>
  )
}

function Pickers({ isLarge, onPick }: { isLarge: boolean; onPick: (list: FileList | null) => void }) {
  const filesInput = useRef<HTMLInputElement>(null)
  const folderInput = useRef<HTMLInputElement>(null)
  const input = (ref: RefObject<HTMLInputElement | null>, isFolder: boolean) => (
    <input
      ref={ref}
      type="file"
      multiple
      hidden
      aria-label={isFolder ? messages.upload.chooseFolder : messages.upload.chooseFiles}
      data-upload={isFolder ? 'folder' : 'files'}
      {...(isFolder ? { webkitdirectory: '' } : {})}
      onChange={({ target }) => {
        onPick(target.files)
        target.value = ''
      }}
    />
  )
  return (
    <div
      className={classNames(
        'flex flex-wrap items-center gap-2',
        isLarge && 'flex-col justify-center rounded-lg border border-line-strong border-dashed px-4 py-8',
      )}
    >
      {input(filesInput, false)}
      {input(folderInput, true)}
      <div className="flex flex-wrap justify-center gap-2">
        <Button data-first-focus onClick={() => filesInput.current?.click()}>
          <Upload aria-hidden="true" size={16} />
          {messages.upload.chooseFiles}
        </Button>
        <Button onClick={() => folderInput.current?.click()}>
          <FolderUp aria-hidden="true" size={16} />
          {messages.upload.chooseFolder}
        </Button>
      </div>
      <p className="text-ink-soft text-sm max-sm:hidden pointer-coarse:hidden">{messages.upload.orDrop}</p>
    </div>
  )
}
