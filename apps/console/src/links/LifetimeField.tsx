import { messages } from '../messages/messages.ts'
import { Segments } from '../ui/forms/Segments.tsx'
import { type Lifetime, lifetimes } from './lifetimes.ts'

/** How long a new link lasts. */
export function LifetimeField({ value, onChange }: { value: Lifetime; onChange: (value: Lifetime) => void }) {
  return (
    <Segments
      label={messages.links.lifetime}
      isLabelShown
      value={value}
      options={lifetimes.map((one) => ({ value: one, label: messages.links.lifetimes[one] }))}
      onChange={onChange}
    />
  )
}
