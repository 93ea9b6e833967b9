import { useId } from 'react'
import { messages } from '../messages/messages.ts'
import { classNames } from '../ui/class-names.ts'
import { fieldClass, TextField } from '../ui/forms/TextField.tsx'

/** A text to store as a file. */
export function TextPart({
  text,
  onText,
  name,
  nameFailure,
  onName,
}: {
  text: string
  onText: (text: string) => void
  name: string
  nameFailure: string | undefined
  onName: (name: string) => void
}) {
  const id = useId()
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="font-medium text-sm">
          {messages.upload.textLabel}
        </label>
        <textarea
          data-first-focus
          id={id}
          value={text}
          rows={7}
          onChange={({ target }) => onText(target.value)}
          className={classNames(fieldClass, 'resize-y py-2 leading-6')}
        />
      </div>
      <TextField
        label={messages.upload.textName}
        value={name}
        onChange={({ target }) => onName(target.value)}
        lateError={nameFailure}
      />
    </div>
  )
}
