import type { ReactNode } from 'react'

/** A scrollable region for wide or long content. It has a name, and is reachable and scrollable by keyboard. */
export function ScrollBox({ label, className, children }: { label: string; className: string; children: ReactNode }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reached by the keyboard.
      tabIndex={0}
      className={className}
    >
      {children}
    </section>
  )
}
