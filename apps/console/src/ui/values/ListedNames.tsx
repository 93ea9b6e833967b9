import { messages } from '../../messages/messages.ts'
import { FileName } from './FileName.tsx'

/** Maximum number of names listed; beyond it they are counted. */
const maxNames = 5

/** What an action that cannot be undone is about. */
export function ListedNames({ items }: { items: readonly { id: string; name: string }[] }) {
  return (
    <ul className="flex flex-col gap-1 rounded-lg bg-sunken px-4 py-3 text-sm">
      {items.slice(0, maxNames).map(({ id, name }) => (
        <li key={id} className="truncate">
          <FileName name={name} />
        </li>
      ))}
      {items.length > maxNames ? (
        <li className="text-ink-soft">{messages.files.andMore(items.length - maxNames)}</li>
      ) : undefined}
    </ul>
  )
}
