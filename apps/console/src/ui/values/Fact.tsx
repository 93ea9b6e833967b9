import type { ReactNode } from 'react'

/** A name and its value, in a `dl` of two columns. */
export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt className="hyphens-auto text-ink-soft">{label}</dt>
      <dd className="flex min-h-8 min-w-0 items-center tabular">{children}</dd>
    </>
  )
}

/** A list of {@link Fact}s. */
export function Facts({ children }: { children: ReactNode }) {
  return (
    // On a phone, a long name is narrow, so that an address has enough space.
    <dl className="grid grid-cols-[fit-content(34%)_minmax(0,1fr)] items-center gap-x-3 gap-y-1 text-left text-sm sm:grid-cols-[auto_minmax(0,1fr)] sm:gap-x-4">
      {children}
    </dl>
  )
}
