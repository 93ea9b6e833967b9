import type { EnsAnswer } from '../ens/use-ens.ts'
import { messages } from '../messages/messages.ts'

/** The addresses that the names in a field resolve to, so that users see each one before they share with it. */
export function EnsNote({ ens }: { ens: readonly EnsAnswer[] }) {
  return (
    <div role="status" className="contents">
      {ens.map(({ name, address }) => (
        <p key={name} className="break-all text-ink-soft text-sm">
          {address === null
            ? messages.contacts.ensLooking(name)
            : address === undefined
              ? messages.contacts.ensNone(name)
              : messages.contacts.ensIs(name, address)}
        </p>
      ))}
    </div>
  )
}
