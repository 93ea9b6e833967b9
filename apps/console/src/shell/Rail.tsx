import { Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { messages } from '../messages/messages.ts'
import { latePart } from '../parts/lazy-part.tsx'
import { Logo } from './Logo.tsx'
import { footPlaces, mainPlaces } from './navigation.ts'

// Empty until the usage is known, so nothing moves when its code arrives later.
const RailQuota = latePart(async () => (await import('./RailQuota.tsx')).RailQuota)

/** Navigation on the left; below 768 px, the bottom bar replaces it. */
export function Rail() {
  return (
    <nav
      aria-label={messages.shell.navigation}
      className="print:hidden! sticky top-0 hidden h-dvh flex-col border-line border-r bg-surface md:flex md:w-16 xl:w-56"
    >
      <Link
        to="/"
        aria-label={messages.shell.product}
        className="flex h-16 shrink-0 items-center gap-3 pl-4.5 font-semibold text-lg tracking-tight xl:pl-5"
      >
        <Logo />
        <span className="max-xl:hidden">{messages.shell.product}</span>
      </Link>
      <div className="flex-1 overflow-y-auto px-2 py-2 xl:px-3">
        <ul className="flex flex-col gap-0.5">
          {mainPlaces.map(({ to, title, icon: Icon }) => (
            <li key={to}>
              <Link
                to={to}
                title={title()}
                className="flex h-10 items-center gap-3 rounded-md px-3 font-medium text-ink-soft text-sm transition-colors hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent-ink max-xl:justify-center"
              >
                <Icon aria-hidden="true" size={18} strokeWidth={1.9} className="shrink-0" />
                <span className="max-xl:sr-only">{title()}</span>
              </Link>
            </li>
          ))}
        </ul>
      </div>
      <div className="flex flex-col gap-1 px-2 pb-4 max-xl:hidden xl:px-3">
        <Suspense>
          <RailQuota />
        </Suspense>
        <p className="flex flex-wrap gap-x-4 gap-y-1 px-3 pt-2 text-ink-soft text-sm">
          {footPlaces.map(({ to, title }) => (
            <Link key={to} to={to} className="shrink-0 hover:text-ink hover:underline">
              {title()}
            </Link>
          ))}
          <a href="/docs" className="shrink-0 hover:text-ink hover:underline">
            {messages.shell.documentation}
          </a>
        </p>
      </div>
    </nav>
  )
}
