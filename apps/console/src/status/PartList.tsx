import { Fragment } from 'react'
import { CircleAlert, CircleCheck } from '#icons'
import { factSeparator, formatDateTime } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { classNames } from '../ui/class-names.ts'
import { Tag } from '../ui/values/Tag.tsx'
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
            <li
              key={id}
              className="grid grid-cols-[minmax(0,1fr)_auto_auto] items-center gap-x-4 gap-y-1 px-4 py-3 text-sm"
            >
              <p className="font-medium">{label}</p>
              <span className="text-right text-ink-soft tabular sm:row-span-2 sm:min-w-16">
                {latencyMs === undefined ? '–' : messages.status.latency(latencyMs)}
              </span>
              <span className="sm:row-span-2">
                <Tag
                  tone={failure === undefined ? 'good' : 'bad'}
                  icon={failure === undefined ? CircleCheck : CircleAlert}
                >
                  {failure === undefined ? messages.status.online : messages.status.offline}
                </Tag>
              </span>
              <div className="col-span-full min-w-0 sm:col-span-1">
                <p className="text-ink-soft">
                  {[url, ...facts].map((fact, at) => (
                    <Fragment key={fact}>
                      <span
                        className={classNames(
                          'inline-block max-w-full break-words',
                          at === 0 ? 'font-mono text-xs' : '',
                        )}
                      >
                        {fact}
                      </span>
                      {at === facts.length ? '' : factSeparator}
                    </Fragment>
                  ))}
                </p>
                {failure !== undefined ? (
                  <p className="text-bad">{failure}</p>
                ) : last === undefined ? undefined : (
                  <p className="text-ink-faint">{messages.status.lastError(last.text, formatDateTime(last.at))}</p>
                )}
              </div>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
