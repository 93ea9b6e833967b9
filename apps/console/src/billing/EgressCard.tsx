import { getEgress } from '@cairn/sdk'
import { useQuery } from '@tanstack/react-query'
import { formatBytes } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import type { Session } from '../session/session-store.ts'
import { useClient } from '../session/use-client.ts'
import { QueryView } from '../ui/states/QueryView.tsx'
import { DayChart } from './DayChart.tsx'

const shownDays = 30
const dayMs = 86_400_000
/** Share of a day that its bar takes. */
const barShare = 0.7

/** Bytes that the gateway sent of the files of the account, by day. */
export function EgressCard({ session }: { session: Session }) {
  const client = useClient()
  const query = useQuery({
    queryKey: ['egress', session.address],
    queryFn: ({ signal }) => getEgress(client, shownDays, { signal }),
  })
  return (
    <section className="overflow-hidden rounded-lg border border-line bg-surface shadow-card">
      <QueryView query={query} skeleton="h-56 w-full">
        {(sent) => <EgressChart sent={sent} />}
      </QueryView>
    </section>
  )
}

function EgressChart({ sent }: { sent: readonly { day: string; bytes: number }[] }) {
  const byDay = new Map(sent.map(({ day, bytes }) => [day, bytes]))
  const today = Math.floor(Date.now() / dayMs)
  // Noon, so that each stays the same day in every time zone near UTC.
  const days = Array.from({ length: shownDays }, (_none, at) => (today - shownDays + 1 + at + 0.5) * dayMs)
  const bytes = days.map((at) => byDay.get(new Date(at).toISOString().slice(0, 10)) ?? 0)
  const total = bytes.reduce((sum, one) => sum + one, 0)
  return (
    <DayChart
      title={messages.billing.egress}
      hint={messages.billing.egressHint(total)}
      label={messages.billing.egressLabel(formatBytes(total))}
      days={days}
      maxBytes={Math.max(1, ...bytes)}
      columns={[{ title: messages.billing.egressSent, bytes }]}
      draw={({ width, height, y }) =>
        bytes.map((one, at) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a day is its place.
            key={at}
            x={((at + (1 - barShare) / 2) / shownDays) * width}
            width={(barShare / shownDays) * width}
            y={y(one)}
            height={Math.max(0, height - y(one))}
            fill="var(--accent)"
            opacity={one === 0 ? 0 : 1}
          />
        ))
      }
    />
  )
}
