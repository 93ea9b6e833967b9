import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { messages } from '../../messages/messages.ts'
import { classNames } from '../../ui/class-names.ts'
import { Modal } from '../../ui/dialogs/Modal.tsx'
import { fieldClass } from '../../ui/forms/TextField.tsx'
import { Spinner } from '../../ui/states/Spinner.tsx'
import { getTypedAhead } from '../shell-overlay.ts'
import { matchCommands } from './match-commands.ts'
import { useCommands } from './use-commands.ts'
import { type FileEntry as Entry, useFoundFiles } from './use-found-files.ts'

type Group = { id: string; title: string; entries: readonly Entry[] }

/**
 * Files, pages and actions behind one field: arrows move, Enter runs. The focus stays in the field.
 * @see https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export function Palette({ onClose }: { onClose: () => void }) {
  const id = useId()
  const [text, setText] = useState(getTypedAhead)
  const [at, setAt] = useState(0)
  const typed = text.trim()
  const { files, isSearching, folders } = useFoundFiles(typed)
  const { actions, pages } = useCommands()
  const found = { id: 'files', title: typed === '' ? messages.palette.recent : messages.palette.files, entries: files }
  const commands = [
    { id: 'actions', title: messages.palette.actions, entries: matchCommands(actions, typed) },
    { id: 'pages', title: messages.palette.pages, entries: matchCommands(pages, typed) },
  ]
  // Files arrive after the commands and are listed below them, so that they do not displace one that the user is about to run.
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
          // biome-ignore lint/a11y/useSemanticElements: a group of options is not a fieldset.
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
      {folders === 'open' ? undefined : (
        <p role="status" className="flex items-center gap-2 px-2 text-ink-soft text-sm">
          {folders === 'loading' ? <Spinner /> : undefined}
          {folders === 'loading' ? messages.palette.foldersLoading : messages.palette.foldersFailed}
        </p>
      )}
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
