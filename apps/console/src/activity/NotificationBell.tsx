import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Bell } from '#icons'
import { messages } from '../messages/messages.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Modal } from '../ui/dialogs/Modal.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { ActivityItemRow } from './ActivityItemRow.tsx'
import { groupProofs } from './group-proofs.ts'
import { useNotifications } from './notifications.ts'

/** The bell does not open the drive for the names of addresses. */
const noLabel = () => undefined

/** The bell: how many events are unread, and the list of them. */
export function NotificationBell() {
  const { items, unread, markSeen } = useNotifications()
  const { pathname } = useLocation()
  const [openedAt, setOpenedAt] = useState<string>()
  const label = messages.activity.bell(unread)
  const close = () => {
    setOpenedAt(undefined)
    markSeen()
  }
  useEffect(() => {
    // A followed link leads to another page, which the list would cover.
    if (openedAt !== undefined && openedAt !== pathname) close()
  })
  return (
    <>
      <button
        type="button"
        aria-label={label}
        title={label}
        onClick={() => setOpenedAt(pathname)}
        className="relative inline-grid size-10 shrink-0 place-items-center rounded-md text-ink-soft transition-colors hover:bg-hover hover:text-ink pointer-coarse:size-11"
      >
        <Bell aria-hidden="true" size={18} strokeWidth={1.9} />
        {unread > 0 ? (
          <span
            aria-hidden="true"
            className="absolute top-0.5 right-0.5 min-w-4 rounded-full border-2 border-surface bg-accent px-0.5 text-center font-semibold text-on-accent text-xs leading-4"
          >
            {unread > 9 ? '9+' : unread}
          </span>
        ) : undefined}
      </button>
      <Modal
        isOpen={openedAt !== undefined}
        onClose={close}
        place="right"
        title={messages.activity.notifications}
        hint={messages.activity.notificationsHint}
        footer={
          <Link to="/activity" onClick={close} className={buttonClass('plain')}>
            {messages.activity.showAll}
          </Link>
        }
      >
        {items.length === 0 ? (
          <EmptyState icon={Bell} title={messages.activity.noNews} hint={messages.activity.noNewsHint} />
        ) : (
          <ul aria-label={messages.activity.notifications} className="-mx-3 divide-y divide-line sm:-mx-4">
            {groupProofs(items).map((line) => (
              <ActivityItemRow key={line.item.id} line={line} labelOf={noLabel} />
            ))}
          </ul>
        )}
      </Modal>
    </>
  )
}
