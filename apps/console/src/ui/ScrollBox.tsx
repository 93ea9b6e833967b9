import type { ReactNode } from 'react'

/** Something wide or long that scrolls in itself. It has a name, and can be reached and scrolled by the keyboard. */
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
