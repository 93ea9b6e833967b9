import { CircleAlert, CircleCheck } from '#icons'
import { formatDateTime } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { Tag } from '../ui/Tag.tsx'
import type { PartState } from './check-part.ts'
import type { PastFailure } from './use-parts.ts'

/** Services of one kind: URL, latency, reported facts, and last error. Empty if there are none. */
export function PartList({
  title,
  parts,
  lastFailures,
}: {
  title: string
  parts: readonly PartState[]
  lastFailures: ReadonlyMap<string, PastFailure>
}) {
  if (parts.length === 0) return undefined
  return (
    <section>
      <h2 className="mb-2 font-semibold">{title}</h2>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {parts.map(({ id, label, url, latencyMs, facts, failure }) => {
          const last = lastFailures.get(id)
          return (
            <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 text-sm">
              <div className="min-w-0 flex-1 basis-60">
                <p className="font-medium">{label}</p>
                <p className="text-ink-soft">
                  <span className="font-mono text-xs">{url}</span>
                  {facts.map((fact) => ` · ${fact}`)}
                </p>
                {failure !== undefined ? (
                  <p className="text-bad">{failure}</p>
                ) : last === undefined ? undefined : (
                  <p className="text-ink-faint">{messages.status.lastError(last.text, formatDateTime(last.at))}</p>
                )}
              </div>
              <span className="text-right text-ink-soft tabular sm:min-w-16">
                {latencyMs === undefined ? '–' : messages.status.latency(latencyMs)}
              </span>
              <Tag
                tone={failure === undefined ? 'good' : 'bad'}
                icon={failure === undefined ? CircleCheck : CircleAlert}
              >
                {failure === undefined ? messages.status.online : messages.status.offline}
              </Tag>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
