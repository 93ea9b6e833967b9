import type { ReactNode } from 'react'
import type { IconComponent } from '#icons'

/** States that nothing is here yet, why, and the next step. */
export function EmptyState({
  icon: Icon,
  title,
  hint,
  isPage = false,
  children,
}: {
  icon: IconComponent
  title: string
  hint?: ReactNode
  /** Replaces the whole page: its title is the heading of the page. */
  isPage?: boolean
  children?: ReactNode
}) {
  const Heading = isPage ? 'h1' : 'h2'
  return (
    <div className="mx-auto flex max-w-md animate-rise flex-col items-center gap-3 px-4 py-16 text-center [@media(max-height:40rem)]:py-4">
      {/* In a low window, such as that of a small phone, the buttons have its room. */}
      <span className="mb-2 grid size-14 place-items-center rounded-xl bg-accent-soft text-accent-ink [@media(max-height:40rem)]:hidden">
        <Icon aria-hidden="true" size={26} strokeWidth={1.6} />
      </span>
      <Heading className="font-semibold text-lg">{title}</Heading>
      {hint === undefined ? undefined : <p className="text-ink-soft">{hint}</p>}
      <div className="mt-2 flex flex-wrap justify-center gap-2">{children}</div>
    </div>
  )
}
