import { messages } from '../messages/messages.ts'
import { Button } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Modal } from '../ui/Modal.tsx'
import { QrCode } from '../ui/QrCode.tsx'

/** A new link, shown once: to copy, or to scan. */
export function LinkMade({ url, hasPassword, onClose }: { url: string; hasPassword: boolean; onClose: () => void }) {
  return (
    <Modal
      isOpen
      onClose={onClose}
      title={messages.links.madeTitle}
      hint={messages.links.madeHint}
      footer={
        <Button kind="primary" onClick={onClose}>
          {messages.links.done}
        </Button>
      }
    >
      <p className="flex items-center gap-2 rounded-lg border border-line bg-sunken p-3">
        <code className="min-w-0 flex-1 break-all font-mono text-sm">{url}</code>
        <CopyButton text={url} label={messages.links.copy} />
      </p>
      {hasPassword ? <p className="mt-3 text-ink-soft text-sm">{messages.links.sendPassword}</p> : undefined}
      <div className="mt-4 grid place-items-center">
        <QrCode text={url} label={messages.links.code} isSmall />
      </div>
    </Modal>
  )
}
