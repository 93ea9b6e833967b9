import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { CopyButton } from '../ui/values/CopyButton.tsx'
import { QrCode } from '../ui/values/QrCode.tsx'

/** A new link, to copy or to scan. */
export function LinkMade({
  url,
  title,
  hint,
  note,
  onClose,
}: {
  url: string
  title: string
  hint: string
  note?: string | undefined
  onClose: () => void
}) {
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={title}
      hint={hint}
      footer={
        <Button kind="primary" onClick={onClose}>
          {messages.links.done}
        </Button>
      }
    >
      <p className="flex items-center gap-2 rounded-lg border border-line bg-sunken p-3">
        <code className="min-w-0 flex-1 break-all font-mono text-sm">{url}</code>
        <CopyButton text={url} label={messages.links.copy} isFirst />
      </p>
      {note === undefined ? undefined : <p className="mt-3 text-ink-soft text-sm">{note}</p>}
      <div className="mt-4 grid place-items-center">
        <QrCode text={url} label={messages.links.code} isSmall />
      </div>
    </Modal>
  )
}
