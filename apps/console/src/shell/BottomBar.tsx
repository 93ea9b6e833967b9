import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { Menu } from '#icons'
import { messages } from '../messages/messages.ts'
import { lazyPart } from '../parts/lazy-part.tsx'
import { barPlaces, mainPlaces } from './navigation.ts'

const MoreSheet = lazyPart(async () => (await import('./MoreSheet.tsx')).MoreSheet, 'toast')
const cell =
  'flex h-14 flex-col items-center justify-center gap-0.5 text-ink-soft text-xs aria-[current=page]:text-accent-ink'

/** Navigation on a phone: the first places, and the rest behind one button. */
export function BottomBar() {
  const [isOpen, setOpen] = useState(false)
  return (
    <nav
      aria-label={messages.shell.navigation}
      data-bottom-bar
      className="print:hidden! fixed inset-x-0 bottom-0 z-20 grid grid-cols-5 border-line border-t bg-surface pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {mainPlaces.slice(0, barPlaces).map(({ to, title, icon: Icon }) => (
        <Link key={to} to={to} className={cell}>
          <Icon aria-hidden="true" size={20} strokeWidth={1.8} />
          {title()}
        </Link>
      ))}
      <button type="button" className={cell} onClick={() => setOpen(true)}>
        <Menu aria-hidden="true" size={20} strokeWidth={1.8} />
        {messages.shell.more}
      </button>
      {isOpen ? (
        <Suspense>
          <MoreSheet onClose={() => setOpen(false)} />
        </Suspense>
      ) : undefined}
    </nav>
  )
}
