import { exportEvents } from '@cairn/sdk'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Bell, Download } from '#icons'
import { messages } from '../messages/messages.ts'
import { useClient } from '../session/use-client.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { Segments } from '../ui/Segments.tsx'
import { saveText } from '../ui/save-text.ts'
import { toastError } from '../ui/toast-store.ts'
import { type EventGroup, eventGroups } from './activity-search.ts'
import { EventRow } from './EventRow.tsx'
import { markAllSeen } from './notifications.ts'
import { useActivity } from './use-activity.ts'

const all = 'all'
const choices: readonly (EventGroup | typeof all)[] = [all, ...eventGroups]

/** What happened in the account, newest first: files, sharing, payments, proofs, keys. */
export function ActivityPage() {
  const { show } = useSearch({ from: '/activity' })
  const navigate = useNavigate()
  const client = useClient()
  const query = useActivity(show)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const events = data?.pages.flatMap((page) => page.events)
  const newest = Number(events?.[0]?.cursor ?? 0)
  // What is on this page is read.
  useEffect(() => {
    if (show === undefined && newest > 0) markAllSeen(newest)
  }, [show, newest])
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
    <div className="mx-auto flex w-full max-w-4xl flex-1 flex-col">
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
      <QueryView
        query={{ data: events, error, refetch }}
        skeleton="h-48 w-full"
        empty={
          hasNextPage ? undefined : (
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
              {shown.map((event) => (
                <EventRow key={event.id} event={event} />
              ))}
            </ul>
            {hasNextPage ? (
              <Button
                className="mt-4 self-center"
                isBusy={isFetchingNextPage}
                onClick={() => void fetchNextPage({ cancelRefetch: false })}
              >
                {messages.activity.older}
              </Button>
            ) : undefined}
          </>
        )}
      </QueryView>
    </div>
  )
}
