import type { DriveItem } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Plus, X } from '#icons'
import { explainError } from '../messages/describe-error.ts'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { accents } from '../theme/settings.ts'
import { Button } from '../ui/Button.tsx'
import { classNames } from '../ui/class-names.ts'
import { FormDialog } from '../ui/dialogs/FormDialog.tsx'
import { TextField } from '../ui/forms/TextField.tsx'
import type { LabelChange } from './use-item-edits.ts'

/** Tags and colour of one or several items. */
export function LabelsDialog({
  items,
  knownTags,
  onSave,
  onClose,
}: {
  items: readonly DriveItem[]
  knownTags: readonly string[]
  onSave: (change: LabelChange) => Promise<unknown>
  onClose: () => void
}) {
  const id = useId()
  const [first] = items
  const before = (first?.tags ?? []).filter((tag) => items.every(({ tags }) => tags.includes(tag)))
  const sameColour = items.every(({ colour }) => colour === first?.colour)
  const [tags, setTags] = useState<readonly string[]>(before)
  const [text, setText] = useState('')
  const [colour, setColour] = useState<string | undefined>(sameColour ? (first?.colour ?? '') : undefined)
  const save = useMutation({ mutationFn: onSave, onSuccess: onClose })
  const withText = () => {
    const tag = text.trim().normalize('NFC')
    return tag === '' || tags.includes(tag) ? tags : [...tags, tag]
  }
  const submit = () => {
    const now = withText()
    save.mutate({
      add: now.filter((tag) => !before.includes(tag)),
      remove: before.filter((tag) => !now.includes(tag)),
      colour,
    })
  }
  const others = knownTags.filter((tag) => !tags.includes(tag)).slice(0, 20)
  return (
    <FormDialog
      onClose={onClose}
      title={messages.drive.labelsTitle(items.length, first?.name ?? '')}
      hint={messages.drive.labelsHint}
      submitLabel={messages.drive.done}
      isBusy={save.isPending}
      error={save.error === null || isAborted(save.error) ? undefined : explainError(save.error)}
      onSubmit={submit}
    >
      <div className="flex flex-col gap-3">
        <div className="flex items-end gap-2">
          <TextField
            className="flex-1"
            label={messages.drive.tagsLabel}
            placeholder={messages.drive.tagAdd}
            value={text}
            maxLength={100}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || text.trim() === '') return
              event.preventDefault()
              setTags(withText())
              setText('')
            }}
          />
          <Button
            disabled={text.trim() === ''}
            onClick={() => {
              setTags(withText())
              setText('')
            }}
          >
            <Plus aria-hidden="true" size={16} />
            {messages.drive.tagAddButton}
          </Button>
        </div>
        <ul className="flex flex-wrap gap-1.5">
          {tags.map((tag) => (
            <li key={tag}>
              <button
                type="button"
                aria-label={messages.drive.tagRemove(tag)}
                onClick={() => setTags(tags.filter((one) => one !== tag))}
                className="inline-flex h-8 items-center gap-1.5 rounded-full border border-accent-line bg-accent-soft px-3 font-medium text-accent-ink text-sm pointer-coarse:h-11"
              >
                {tag}
                <X aria-hidden="true" size={13} />
              </button>
            </li>
          ))}
          {others.map((tag) => (
            <li key={tag}>
              <button
                type="button"
                onClick={() => setTags([...tags, tag])}
                className="inline-flex h-8 items-center gap-1.5 rounded-full border border-line px-3 text-ink-soft text-sm hover:bg-hover hover:text-ink pointer-coarse:h-11"
              >
                <Plus aria-hidden="true" size={13} />
                {tag}
              </button>
            </li>
          ))}
        </ul>
      </div>
      <fieldset>
        <legend className="mb-2 font-medium text-sm">{messages.drive.colour}</legend>
        <div className="flex flex-wrap gap-2">
          {(['', ...accents] as const).map((one) => (
            <label
              key={one}
              {...(one === '' ? {} : { 'data-accent': one })}
              className={classNames(
                'flex h-9 cursor-pointer items-center gap-2 rounded-md border px-2.5 text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:h-11',
                colour === one ? 'border-line-strong bg-hover font-medium' : 'border-line hover:bg-hover',
              )}
            >
              <input
                type="radio"
                name={id}
                className="sr-only"
                checked={colour === one}
                onChange={() => setColour(one)}
              />
              <span
                aria-hidden="true"
                className={classNames('size-3 rounded-full', one === '' ? 'border border-line-strong' : 'bg-accent')}
              />
              {messages.drive.colours[one === '' ? 'none' : one]}
            </label>
          ))}
        </div>
      </fieldset>
    </FormDialog>
  )
}
