import type { ReactNode } from 'react'
import { messages } from '../../messages/messages.ts'

/** A table of a document, which scrolls on its own if it is wider than the page. */
export function ScrollingTable({ children }: { children: ReactNode }) {
  return (
    <section
      aria-label={messages.preview.markdownTable}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
      tabIndex={0}
      className="overflow-x-auto"
    >
      <table className="border-collapse text-sm">{children}</table>
    </section>
  )
}
