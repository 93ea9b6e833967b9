import type { Drive, DriveItem } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Folder, FolderOpen, FolderPlus } from '#icons'
import { isKnownFolder } from '../content/use-is-folder.ts'
import { explainError } from '../messages/describe-error.ts'
import { markControls } from '../messages/mark-controls.ts'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { Button } from '../ui/Button.tsx'
import { classNames } from '../ui/class-names.ts'
import { FormDialog } from '../ui/dialogs/FormDialog.tsx'
import { TextField } from '../ui/forms/TextField.tsx'
import { FileName } from '../ui/values/FileName.tsx'
import { parentOf } from './list-items.ts'
import { listTargets } from './list-targets.ts'

/** Maximum number of folders shown: others are found by name. */
const maxShown = 200

/** Chooses the folder to move items into, or creates one. */
export function MoveDialog({
  drive,
  items,
  refusedBy,
  onMove,
  onClose,
}: {
  drive: Drive
  items: readonly DriveItem[]
  /** Name of the folder that they were dropped on, if it cannot take them: the dialog then starts with a new folder. */
  refusedBy?: string | undefined
  /** @param newName name of a folder to create in this one for the items */
  onMove: (folderId: string, newName: string | undefined) => Promise<unknown>
  onClose: () => void
}) {
  const [query, setQuery] = useState('')
  const folders = useMemo(() => listTargets(drive, items, isKnownFolder), [drive, items])
  const here = items.every(({ path }) => parentOf(path) === parentOf(items[0]?.path ?? '/'))
    ? parentOf(items[0]?.path ?? '/')
    : undefined
  const [target, setTarget] = useState<string>()
  const wanted = query.trim().toLowerCase()
  const matching = folders.filter(({ name }) => wanted === '' || name.toLowerCase().includes(wanted))
  // If the list is cut off, folders that can be chosen come first.
  const found = matching.length > maxShown ? matching.filter(({ isStored }) => !isStored) : matching
  const chosen = folders.find(({ id }) => id === target)
  /** Name of a new folder. If there is no folder to choose, its field is open from the start. */
  const [newName, setNewName] = useState(
    refusedBy !== undefined || folders.every(({ path, isStored }) => path === here || isStored) ? '' : undefined,
  )
  const [isNameMissing, setNameMissing] = useState(false)
  const parent = chosen ?? folders.find(({ path }) => path === here) ?? folders[0]
  const move = useMutation({
    mutationFn: () => onMove((newName === undefined ? chosen : parent)?.id ?? '', newName),
    onSuccess: onClose,
  })
  const failure = move.error === null || isAborted(move.error) ? undefined : explainError(move.error)
  const submit = () => {
    const isMissing = newName?.trim() === ''
    setNameMissing(isMissing)
    if (!isMissing) move.mutate()
  }
  return (
    <FormDialog
      onClose={onClose}
      title={messages.drive.moveTitle(items.length, markControls(items[0]?.name ?? ''))}
      hint={refusedBy === undefined ? messages.drive.moveHint : messages.drive.moveRefused(markControls(refusedBy))}
      submitLabel={
        newName !== undefined
          ? messages.drive.moveIntoNew
          : chosen === undefined
            ? messages.drive.moveHere
            : messages.drive.moveInto(chosen.name)
      }
      isDisabled={chosen === undefined && newName === undefined}
      isBusy={move.isPending}
      error={newName === undefined ? failure : undefined}
      onSubmit={submit}
    >
      {folders.length > 8 ? (
        <TextField
          label={messages.drive.moveFilter}
          isLabelHidden
          placeholder={messages.drive.moveFilter}
          type="search"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      ) : undefined}
      <fieldset className="max-h-80 min-w-0 overflow-y-auto rounded-lg border border-line p-1">
        <legend className="sr-only">{messages.drive.moveFilter}</legend>
        {found.slice(0, maxShown).map(({ id, name, path, depth, isStored }) => {
          const isChosen = id === target
          const isFixed = isStored || path === here
          const Icon = isChosen ? FolderOpen : Folder
          return (
            <label
              key={id}
              style={{ paddingLeft: `${0.625 + (wanted === '' ? Math.min(depth, 8) : 0) * 1.25}rem` }}
              className={classNames(
                'flex min-h-9 cursor-pointer items-center gap-2.5 rounded-sm py-1 pr-2.5 text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:min-h-11',
                isChosen ? 'bg-accent-soft font-medium text-accent-ink' : 'hover:bg-hover',
                isFixed && 'cursor-not-allowed text-ink-soft',
              )}
            >
              <input
                type="radio"
                name="target"
                className="sr-only"
                checked={isChosen}
                disabled={isFixed}
                onChange={() => setTarget(id)}
              />
              <Icon aria-hidden="true" size={17} strokeWidth={1.7} className="shrink-0" />
              <span className="min-w-0 truncate">
                <FileName name={name} />
                {wanted === '' || depth < 2 ? undefined : (
                  <span className="ml-2 text-ink-soft text-xs">{parentOf(path)}</span>
                )}
                {isStored ? (
                  <span className="block truncate text-ink-soft text-xs">{messages.drive.moveStored}</span>
                ) : undefined}
              </span>
            </label>
          )
        })}
        {found.length === 0 ? (
          <p className="px-2.5 py-2 text-ink-soft text-sm">{messages.drive.moveNone}</p>
        ) : found.length > maxShown ? (
          <p className="px-2.5 py-2 text-ink-soft text-sm">{messages.files.andMore(found.length - maxShown)}</p>
        ) : undefined}
      </fieldset>
      {refusedBy === undefined && found.some(({ isStored }) => isStored) ? (
        <p className="text-ink-soft text-sm">{messages.drive.moveStoredHint}</p>
      ) : undefined}
      {newName === undefined ? (
        <Button className="self-start" onClick={() => setNewName('')}>
          <FolderPlus aria-hidden="true" size={16} />
          {messages.drive.newFolder}
        </Button>
      ) : (
        <TextField
          ref={focusField}
          label={messages.drive.moveNewLabel(parent?.name ?? messages.drive.root)}
          value={newName}
          error={isNameMissing ? messages.files.renameEmpty : failure}
          maxLength={1024}
          onChange={({ target: { value } }) => {
            setNewName(value)
            setNameMissing(false)
            move.reset()
          }}
        />
      )}
    </FormDialog>
  )
}

/** As a ref: the dialog mounts its content after the effects of its parent. */
function focusField(input: HTMLInputElement | null): void {
  input?.focus()
}
