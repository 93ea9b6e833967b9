import { listFilesPage } from '@cairn/sdk'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useMemo, useState } from 'react'
import { nameOf } from '../../content/use-file-info.ts'
import { listAll, narrowRows } from '../../drive/list-items.ts'
import { getShownDrive } from '../../drive-index/shown-drive.ts'
import { fileIcon } from '../../files/file-icon.ts'
import { isDriveFolder } from '../../files/listed-file.ts'
import { formatBytes } from '../../messages/format.ts'
import { messages } from '../../messages/messages.ts'
import { useSession } from '../../session/session-store.ts'
import { useClient } from '../../session/use-client.ts'
import { classNames } from '../../ui/class-names.ts'
import { Modal } from '../../ui/Modal.tsx'
import { fieldClass } from '../../ui/TextField.tsx'
import { searchDelayMs } from '../search-delay.ts'
import { matchCommands } from './match-commands.ts'
import { type Command, useCommands } from './use-commands.ts'

const maxFiles = 8
const maxRecent = 4

type Entry = Command & { detail?: string }
type Group = { id: string; title: string; entries: readonly Entry[] }

/**
 * Files, pages and actions behind one field: arrows move, Enter runs. The focus stays in the field.
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const id = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const typed = text.trim()
  const { files, isSearching } = useFoundFiles(typed)
  const { actions, pages } = useCommands()
  const found = { id: 'files', title: typed === '' ? messages.palette.recent : messages.palette.files, entries: files }
  const commands = [
    { id: 'actions', title: messages.palette.actions, entries: matchCommands(actions, typed) },
    { id: 'pages', title: messages.palette.pages, entries: matchCommands(pages, typed) },
  ]
  // Files arrive after the commands, so that they never take the place of one that Enter is about to run.
  const groups: Group[] = (typed === '' ? [found, ...commands] : [...commands, found]).filter(
    ({ entries }) => entries.length > 0,
  )
  const all = groups.flatMap(({ entries }) => entries)
  const active = all[Math.min(at, all.length - 1)]

  const run = (entry: Entry) => {
    onClose()
    // After the palette has returned the focus: a dialog that this opens returns it to the same place.
    setTimeout(entry.run)
  }
  const onKey = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && all.length > 0) {
      event.preventDefault()
      setAt((Math.min(at, all.length - 1) + step + all.length) % all.length)
    } else if (event.key === 'Enter' && active !== undefined && !event.nativeEvent.isComposing) {
      event.preventDefault()
      run(active)
    }
  }
  useEffect(() => {
    if (active !== undefined) document.getElementById(`${id}-${active.id}`)?.scrollIntoView({ block: 'nearest' })
  }, [active, id])

  return (
    <Modal isOpen onClose={onClose} title={messages.palette.title}>
      <input
        ref={focusField}
        type="text"
        role="combobox"
        aria-label={messages.palette.label}
        aria-expanded={all.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        {...(active === undefined ? {} : { 'aria-activedescendant': `${id}-${active.id}` })}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        enterKeyHint="go"
        placeholder={messages.palette.hint}
        value={text}
        onChange={({ target }) => {
          setText(target.value)
          setAt(0)
        }}
        onKeyDown={onKey}
        className={classNames(fieldClass, 'h-11')}
      />
      <p role="status" className="sr-only">
        {isSearching ? messages.palette.searching : messages.palette.count(all.length)}
      </p>
      {all.length === 0 ? (
        <p className="py-8 text-center text-ink-soft text-sm">
          {isSearching ? messages.palette.searching : messages.palette.none}
        </p>
      ) : undefined}
      <div id={`${id}-list`} role="listbox" aria-label={messages.palette.results} className="mt-3 sm:min-h-72">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options is no fieldset.
          <div key={group.id} role="group" aria-labelledby={`${id}-${group.id}`} className="mb-2">
            <p id={`${id}-${group.id}`} className="px-2 py-1 font-medium text-ink-soft text-xs">
              {group.title}
            </p>
            {group.entries.map((entry) => (
              <Option key={entry.id} id={`${id}-${entry.id}`} entry={entry} isActive={entry === active} onRun={run} />
            ))}
          </div>
        ))}
      </div>
    </Modal>
  )
}

function focusField(field: HTMLInputElement | null): void {
  field?.focus()
}

function Option({
  id,
  entry,
  isActive,
  onRun,
}: {
  id: string
  entry: Entry
  isActive: boolean
  onRun: (entry: Entry) => void
}) {
  const { label, detail, icon: Icon } = entry
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field.
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys.
    <div
      role="option"
      id={id}
      aria-selected={isActive}
      onClick={() => onRun(entry)}
      className={classNames(
        'flex h-10 cursor-pointer items-center gap-3 rounded-md px-2 text-sm pointer-coarse:h-11',
        isActive ? 'bg-accent-soft outline-2 outline-accent -outline-offset-2' : 'hover:bg-hover',
      )}
    >
      <Icon aria-hidden="true" size={18} className="shrink-0 text-ink-soft" />
      <span className="min-w-0 flex-1 truncate">
        <bdi>{label}</bdi>
      </span>
      {detail === undefined ? undefined : <span className="shrink-0 text-ink-soft tabular">{detail}</span>}
    </div>
  )
}

/**
 * Returns the files that the folders of the page have under such names, else those that the service finds, or the newest
 * ones. Earlier results stay while it searches.
 */
function useFoundFiles(typed: string): { files: readonly Entry[]; isSearching: boolean } {
  const client = useClient()
  const navigate = useNavigate()
  const address = useSession()?.address
  const [search, setSearch] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setSearch(typed), searchDelayMs)
    return () => clearTimeout(timer)
  }, [typed])
  const shown = getShownDrive(address)
  // Names in folders are encrypted: the service knows those of the uploads only.
  const drive = shown?.drive.known === undefined ? undefined : shown.drive
  const canFind = drive?.isListed === true
  const version = shown?.version()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a drive changes with its version.
  const inFolders = useMemo(
    () => (canFind && search !== '' ? narrowRows(listAll(drive, {}), '/', { q: search }, undefined) : undefined),
    [drive, canFind, version, search],
  )
  const { data, isFetching } = useQuery({
    queryKey: ['files', address, 'palette', search],
    queryFn: ({ signal }) =>
      listFilesPage(client, search === '' ? { limit: maxRecent } : { search, limit: maxFiles }, { signal }),
    placeholderData: keepPreviousData,
    enabled: address !== undefined && inFolders === undefined,
  })
  const isSearching = isFetching || search !== typed
  const found =
    inFolders?.filter((row) => !isDriveFolder(row)).slice(0, maxFiles) ??
    (data?.fileList ?? []).flatMap((file) => {
      const item = drive?.get(file.cid)
      if (item?.trashedAt !== undefined) return []
      return item === undefined ? file : { ...file, fileName: item.name }
    })
  const files = found
    // Of earlier results, those that still match.
    .filter((file) => !isSearching || `${nameOf(file)} ${file.cid}`.toLowerCase().includes(typed.toLowerCase()))
    .map((file) => ({
      id: file.id,
      label: nameOf(file),
      detail: formatBytes(Number(file.fileSizeInBytes)),
      icon: fileIcon(file),
      run: () => void navigate({ to: '/files/$cid', params: { cid: file.cid } }),
    }))
  return { files, isSearching }
}
