import { createContext, type ReactNode, use, useId } from 'react'

/** In a drawer its title is the heading above; on a separate page that of the page. */
export const PartContext = createContext(false)

export function Section({ title, action, children }: { title: string; action?: ReactNode; children: ReactNode }) {
  const Heading = use(PartContext) ? 'h3' : 'h2'
  const headingId = useId()
  return (
    <section aria-labelledby={headingId}>
      <div className="mb-2 flex min-h-8 flex-wrap items-center justify-between gap-2">
        <Heading id={headingId} className="font-semibold text-sm">
          {title}
        </Heading>
        {action}
      </div>
      {children}
    </section>
  )
}
