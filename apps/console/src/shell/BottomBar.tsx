import { Link } from '@tanstack/react-router'
import { Menu } from 'lucide-react'
import { useState } from 'react'
import { Modal } from '../ui/Modal.tsx'
import { words } from '../words/words.ts'
import { places } from './navigation.ts'

const shown = 4
const cell =
  'flex h-14 flex-col items-center justify-center gap-0.5 text-ink-soft text-xs aria-[current=page]:text-accent-ink'

/** Navigation on a phone: the first places, and the rest behind one press. */
export function BottomBar() {
  const [isOpen, setOpen] = useState(false)
  return (
    <nav
      aria-label={words.shell.navigation}
      className="fixed inset-x-0 bottom-0 z-20 grid grid-cols-5 border-line border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {places.slice(0, shown).map(({ to, label, icon: Icon }) => (
        <Link key={to} to={to} className={cell}>
          <Icon aria-hidden="true" size={20} strokeWidth={1.8} />
          {label}
        </Link>
      ))}
      <button type="button" className={cell} onClick={() => setOpen(true)}>
        <Menu aria-hidden="true" size={20} strokeWidth={1.8} />
        {words.shell.more}
      </button>
      <Modal isOpen={isOpen} onClose={() => setOpen(false)} title={words.shell.more}>
        <ul className="flex flex-col gap-1">
          {places.slice(shown).map(({ to, label, icon: Icon }) => (
            <li key={to}>
              <Link
                to={to}
                onClick={() => setOpen(false)}
                className="flex h-12 items-center gap-3 rounded-md px-3 font-medium hover:bg-hover"
              >
                <Icon aria-hidden="true" size={20} strokeWidth={1.8} className="text-ink-soft" />
                {label}
              </Link>
            </li>
          ))}
          <li>
            <Link
              to="/status"
              onClick={() => setOpen(false)}
              className="flex h-12 items-center rounded-md px-3 text-ink-soft hover:bg-hover"
            >
              {words.shell.status}
            </Link>
          </li>
        </ul>
      </Modal>
    </nav>
  )
}
