import { messages } from '../../messages/messages.ts'
import { Button } from '../Button.tsx'
import { Field } from '../forms/Field.tsx'
import { fieldClass } from '../forms/TextField.tsx'
import { Modal } from './Modal.tsx'

const maxRows = 12

/** Shows a text that the browser did not copy. It is selected, so that the keys of the device copy it. */
export function CopyDialog({ text, onClose }: { text: string; onClose: () => void }) {
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={messages.shell.notCopied}
      hint={messages.shell.notCopiedHint}
      footer={<Button onClick={onClose}>{messages.shell.close}</Button>}
    >
      <Field label={messages.shell.copyable} isLabelHidden>
        {(input) => (
          <textarea
            {...input}
            data-first-focus
            readOnly
            rows={Math.min(maxRows, Math.max(3, text.split('\n').length))}
            value={text}
            spellCheck={false}
            onFocus={({ currentTarget }) => currentTarget.select()}
            className={`${fieldClass} break-all py-2 font-mono`}
          />
        )}
      </Field>
    </Modal>
  )
}
