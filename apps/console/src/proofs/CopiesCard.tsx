import { getCopies, setCopies } from '@cairn/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Minus, Plus } from '#icons'
import { messages } from '../messages/messages.ts'
import type { Session } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { QueryPending } from '../ui/states/QueryView.tsx'
import { toastDone, toastError } from '../ui/toasts/toast-store.ts'

/** Number of providers that store the files of the account. */
export function CopiesCard({ session }: { session: Session }) {
  const client = useClient()
  const queries = useQueryClient()
  const queryKey = ['copies', session.address]
  const { data, error, refetch } = useQuery({ queryKey, queryFn: ({ signal }) => getCopies(client, { signal }) })
  const change = useMutation({
    mutationFn: (copies: number) => setCopies(client, copies),
    onSuccess: (now) => {
      queries.setQueryData(queryKey, now)
      toastDone(messages.proofs.copiesSet(now.copies))
    },
    onError: (fault) => toastError(messages.proofs.copiesFailed, fault),
  })
  if (data === undefined) {
    return <QueryPending query={{ error, refetch }} skeleton="h-24.5 w-full max-sm:h-39.5" />
  }
  const { copies, maxCopies } = data
  return (
    <section
      aria-labelledby="copies-title"
      className="flex flex-wrap items-center justify-between gap-4 rounded-lg border border-line bg-surface px-5 py-4 shadow-card"
    >
      <div className="min-w-0 flex-1 basis-64">
        <h2 id="copies-title" className="font-semibold text-base">
          {messages.proofs.copies}
        </h2>
        <p className="max-w-prose text-ink-soft text-sm">{messages.proofs.copiesHint(maxCopies)}</p>
      </div>
      <div className="flex items-center gap-2">
        <IconButton
          icon={Minus}
          label={messages.proofs.copiesFewer}
          className="border border-line"
          disabled={copies <= 1 || change.isPending}
          onClick={() => change.mutate(copies - 1)}
        />
        <output aria-live="polite" className="min-w-24 text-center font-medium tabular">
          {messages.proofs.copiesNow(copies)}
        </output>
        <IconButton
          icon={Plus}
          label={messages.proofs.copiesMore}
          className="border border-line"
          disabled={copies >= maxCopies || change.isPending}
          onClick={() => change.mutate(copies + 1)}
        />
      </div>
    </section>
  )
}
