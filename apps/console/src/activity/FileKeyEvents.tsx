import { type KeyEvent, listKeyEvents } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { useContacts } from '../contacts/use-contacts.ts'
import { messages } from '../messages/messages.ts'
import { useSession } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { QueryView } from '../ui/states/QueryView.tsx'
import { keyItem } from './activity-item.ts'
import { KeyEventRow } from './KeyEventRow.tsx'
import { isNews } from './use-key-activity.ts'

/** Events shown, and looked at: own openings are among the latter. */
const maxShown = 20
const maxEvents = 200

/** Who opened one encrypted file or was refused, and the changes of its owner, newest first. */
export function FileKeyEvents({ cid }: { cid: string }) {
  const client = useClient()
  const account = useSession()?.keySession?.address
  const { labelOf } = useContacts()
  const { data, error, refetch } = useQuery({
    queryKey: ['key-activity', account, 'file', cid],
    queryFn: async ({ signal }) => {
      const events: KeyEvent[] = []
      let count = 0
      for await (const event of listKeyEvents(client, { cid, signal })) {
        if (isNews(event, account ?? '')) events.push(event)
        if (events.length === maxShown || ++count === maxEvents) break
      }
      return events
    },
    enabled: account !== undefined,
  })
  return (
    <QueryView
      query={{ data, error, refetch }}
      skeleton="h-12 w-full"
      empty={<p className="text-ink-soft text-sm">{messages.activity.notOpened}</p>}
    >
      {(events) => (
        <ul
          aria-label={messages.pages.activity}
          className="max-h-80 divide-y divide-line overflow-y-auto rounded-lg border border-line bg-surface"
        >
          {events.map((event) => (
            <KeyEventRow key={keyItem(event).id} event={event} labelOf={labelOf} isOfFile />
          ))}
        </ul>
      )}
    </QueryView>
  )
}
