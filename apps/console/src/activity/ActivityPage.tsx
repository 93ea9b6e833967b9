import { exportEvents } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Bell, Download } from '#icons'
import { saveText } from '../browser/save-text.ts'
import { useContacts } from '../contacts/use-contacts.ts'
import { messages } from '../messages/messages.ts'
import { isAborted } from '../session/is-aborted.ts'
import { ReachNodes } from '../session/ReachNodes.tsx'
import { useClient } from '../session/use-client.ts'
import { useKeyClient } from '../session/use-key-client.ts'
import { Button } from '../ui/Button.tsx'
import { Segments } from '../ui/forms/Segments.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Banner } from '../ui/states/Banner.tsx'
import { EmptyState } from '../ui/states/EmptyState.tsx'
import { QueryView } from '../ui/states/QueryView.tsx'
import { toastError } from '../ui/toasts/toast-store.ts'
import { ActivityItemRow } from './ActivityItemRow.tsx'
import { mergeActivity } from './activity-item.ts'
import { type EventGroup, eventGroups } from './activity-search.ts'
import { groupProofs } from './group-proofs.ts'
import { markAllSeen } from './notifications.ts'
import { useActivity } from './use-activity.ts'
import { keyPageEvents, useKeyActivity } from './use-key-activity.ts'

const all = 'all'
const choices: readonly (EventGroup | typeof all)[] = [all, ...eventGroups]

/** The events of the account, newest first: files, sharing, payments, proofs, keys. */
export function ActivityPage() {
  const { show } = useSearch({ from: '/activity' })
  const navigate = useNavigate()
  const client = useClient()
  const query = useActivity(show)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const events = data?.pages.flatMap((page) => page.events)
  const [maxKeyEvents, setMaxKeyEvents] = useState(keyPageEvents)
  const keys = useKeyActivity(show === undefined || show === 'sharing' ? maxKeyEvents : 0)
  const { labelOf } = useContacts()
  const lastEvent = events?.at(-1)
  const oldest = hasNextPage && lastEvent !== undefined ? Date.parse(lastEvent.timestamp) : undefined
  const items = events === undefined ? undefined : mergeActivity({ events, oldest }, keys.known)
  const hasOlder = hasNextPage || keys.known.oldest !== undefined
  const showOlder = () => {
    if (keys.known.oldest !== undefined) setMaxKeyEvents(maxKeyEvents + keyPageEvents)
    if (hasNextPage) void fetchNextPage({ cancelRefetch: false })
  }
  const newest = Number(events?.[0]?.cursor ?? 0)
  // Marks the events on this page as read.
  useEffect(() => {
    if (show === undefined && newest > 0) markAllSeen({ cursor: newest })
  }, [show, newest])
  const newestOfNodes = keys.known.events[0]?.at
  useEffect(() => {
    if (newestOfNodes !== undefined) markAllSeen({ at: newestOfNodes })
  }, [newestOfNodes])
  const saveLog = useMutation({
    mutationFn: async () => {
      const decoder = new TextDecoder()
      let text = ''
      for await (const bytes of exportEvents(client)) text += decoder.decode(bytes, { stream: true })
      saveText('cairn-events.jsonl', text + decoder.decode(), 'application/x-ndjson')
    },
    onError: (failure) => toastError(messages.activity.exportFailed, failure),
  })
  return (
    <div className="flex w-full flex-1 flex-col">
      <PageHeader title={messages.pages.activity} hint={messages.activity.hint}>
        <Button isBusy={saveLog.isPending} onClick={() => saveLog.mutate()}>
          <Download aria-hidden="true" size={16} />
          {messages.activity.export}
        </Button>
      </PageHeader>
      <div className="mb-4">
        <Segments
          label={messages.activity.filter}
          value={show ?? all}
          options={choices.map((value) => ({ value, label: messages.activity.groups[value] }))}
          onChange={(value) => void navigate({ to: '/activity', search: value === all ? {} : { show: value } })}
        />
      </div>
      <KeyNodesNotice isConnectable={keys.isConnectable} error={keys.error} onRetry={() => void keys.refetch()} />
      <QueryView
        query={{ data: items, error, refetch }}
        skeleton="h-48 w-full"
        empty={
          hasOlder || keys.isPending ? undefined : (
            <EmptyState icon={Bell} title={messages.activity.none} hint={messages.activity.noneHint} />
          )
        }
      >
        {(shown) => (
          <>
            <ul
              aria-label={messages.pages.activity}
              className="divide-y divide-line rounded-lg border border-line bg-surface"
            >
              {groupProofs(shown).map((line) => (
                <ActivityItemRow key={line.item.id} line={line} labelOf={labelOf} />
              ))}
            </ul>
            {hasOlder ? (
              <Button className="mt-4 self-center" isBusy={isFetchingNextPage || keys.isFetching} onClick={showOlder}>
                {messages.activity.older}
              </Button>
            ) : undefined}
          </>
        )}
      </QueryView>
    </div>
  )
}

/** Reports that the key nodes have not been queried yet, or do not answer: their part of the activity is missing. */
function KeyNodesNotice({
  isConnectable,
  error,
  onRetry,
}: {
  isConnectable: boolean
  error: Error | null
  onRetry: () => void
}) {
  const needKeyClient = useKeyClient()
  const connect = useMutation({
    mutationFn: needKeyClient,
    onError: (failure) => {
      if (!isAborted(failure)) toastError(messages.session.connectFailed, failure)
    },
  })
  if (!isConnectable && error === null) return undefined
  return (
    <div className="mb-4 overflow-hidden rounded-lg border border-line">
      <Banner
        tone={isConnectable ? 'plain' : 'warn'}
        action={
          <span className="flex flex-wrap gap-2">
            {isConnectable ? undefined : <ReachNodes onReached={onRetry} />}
            <Button size="small" isBusy={connect.isPending} onClick={isConnectable ? () => connect.mutate() : onRetry}>
              {isConnectable ? messages.activity.connect : messages.shell.retry}
            </Button>
          </span>
        }
      >
        {isConnectable ? messages.activity.connectHint : messages.activity.keyNodesFailed}
      </Banner>
    </div>
  )
}
