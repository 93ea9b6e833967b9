import { Link } from '@tanstack/react-router'
import { Command } from '#icons'
import { messages } from '../messages/messages.ts'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { barPlaces, footPlaces, mainPlaces } from './navigation.ts'
import { showOverlay } from './shell-overlay.ts'

/** The places that do not fit into the bottom bar. */
export function MoreSheet({ onClose }: { onClose: () => void }) {
  return (
    <Modal isOpen onClose={onClose} title={messages.shell.more}>
      <ul className="flex flex-col gap-1">
        <li>
          <button
            type="button"
            onClick={() => {
              onClose()
              showOverlay('palette')
            }}
            className="flex h-12 w-full items-center gap-3 rounded-md px-3 font-medium hover:bg-hover"
          >
            <Command aria-hidden="true" size={20} strokeWidth={1.8} className="text-ink-soft" />
            {messages.palette.title}
          </button>
        </li>
        {mainPlaces.slice(barPlaces).map(({ to, title, icon: Icon }) => (
          <li key={to}>
            <Link
              to={to}
              onClick={onClose}
              className="flex h-12 items-center gap-3 rounded-md px-3 font-medium hover:bg-hover"
            >
              <Icon aria-hidden="true" size={20} strokeWidth={1.8} className="text-ink-soft" />
              {title()}
            </Link>
          </li>
        ))}
        {footPlaces.map(({ to, title }) => (
          <li key={to}>
            <Link
              to={to}
              onClick={onClose}
              className="flex h-12 items-center rounded-md px-3 text-ink-soft hover:bg-hover"
            >
              {title()}
            </Link>
          </li>
        ))}
      </ul>
    </Modal>
  )
}
