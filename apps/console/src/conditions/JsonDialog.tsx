import { useId, useRef, useState } from 'react'
import { Download, FolderOpen } from '#icons'
import { saveText } from '../browser/save-text.ts'
import { describeError } from '../messages/describe-error.ts'
import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { fieldClass } from '../ui/forms/TextField.tsx'
import { CopyButton } from '../ui/values/CopyButton.tsx'
import { type Draft, fromJson, toInput } from './draft.ts'

/** Maximum size of a file: conditions are a few kilobytes. */
const maxFileBytes = 256 * 1024

/** Conditions as JSON: to copy, save, and paste. */
export function JsonDialog({
  draft,
  onClose,
  onUse,
}: {
  draft: Draft
  onClose: () => void
  onUse: (draft: Draft) => void
}) {
  const id = useId()
  const file = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(() => JSON.stringify(toInput(draft), null, 2))
  const [failure, setFailure] = useState<string>()
  const put = () => {
    try {
      onUse(fromJson(text))
      onClose()
    } catch (error) {
      setFailure(describeError(error).message)
    }
  }
  return (
    <Modal
      isOpen
      place="wide"
      onClose={onClose}
      title={messages.conditions.json}
      hint={messages.conditions.jsonHint}
      footer={
        <>
          <Button onClick={onClose}>{messages.shell.cancel}</Button>
          <Button kind="primary" onClick={put}>
            {messages.conditions.jsonUse}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center gap-2">
          <Button size="small" onClick={() => file.current?.click()}>
            <FolderOpen aria-hidden="true" size={16} />
            {messages.conditions.jsonOpen}
          </Button>
          <Button size="small" onClick={() => saveText('conditions.json', text, 'application/json')}>
            <Download aria-hidden="true" size={16} />
            {messages.conditions.jsonDownload}
          </Button>
          <CopyButton text={text} size="small" />
          <input
            ref={file}
            type="file"
            accept=".json,application/json"
            aria-label={messages.conditions.jsonOpen}
            tabIndex={-1}
            className="sr-only"
            onChange={async ({ currentTarget }) => {
              const [chosen] = currentTarget.files ?? []
              if (chosen !== undefined) setText(await chosen.slice(0, maxFileBytes).text())
              setFailure(undefined)
            }}
          />
        </div>
        <label htmlFor={id} className="sr-only">
          {messages.conditions.jsonLabel}
        </label>
        <textarea
          data-first-focus
          id={id}
          rows={16}
          value={text}
          spellCheck={false}
          {...(failure === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': `${id}-failure` })}
          onChange={({ currentTarget }) => {
            setText(currentTarget.value)
            setFailure(undefined)
          }}
          className={`${fieldClass} py-2 font-mono`}
        />
        {failure === undefined ? undefined : (
          <p id={`${id}-failure`} role="alert" className="text-bad text-sm">
            {failure}
          </p>
        )}
      </div>
    </Modal>
  )
}
