import { Minus, Pencil, Plus, Workflow } from '#icons'
import { messages } from '../messages/messages.ts'
import { ConditionText } from './ConditionText.tsx'
import { diffDrafts } from './diff-drafts.ts'
import type { Draft } from './draft.ts'

/** Shows what saving would change, before any request to the nodes. */
export function ConditionsDiff({ saved, draft }: { saved: Draft; draft: Draft }) {
  const differences = diffDrafts(saved, draft)
  if (differences.length === 0) return undefined
  return (
    <section aria-label={messages.conditions.changes} className="rounded-lg bg-sunken p-3 text-sm">
      <h3 className="mb-1.5 font-medium">{messages.conditions.changes}</h3>
      <ul className="flex flex-col gap-1.5">
        {differences.map((difference) => {
          if (difference.kind === 'joined') {
            return (
              <Line
                key="joined"
                icon={<Workflow aria-hidden="true" size={15} />}
                label={messages.conditions.changeJoin}
              >
                {difference.after.replace(/[[\]]/g, '')}
              </Line>
            )
          }
          const { kind, id } = difference
          if (kind === 'added') {
            return (
              <Line
                key={`added ${id}`}
                tone="text-good"
                icon={<Plus aria-hidden="true" size={15} />}
                label={messages.conditions.changeAdded}
              >
                <ConditionText chainType={draft.chainType} condition={difference.after} />
              </Line>
            )
          }
          if (kind === 'removed') {
            return (
              <Line
                key={`removed ${id}`}
                tone="text-bad"
                icon={<Minus aria-hidden="true" size={15} />}
                label={messages.conditions.changeRemoved}
              >
                <ConditionText chainType={saved.chainType} condition={difference.before} />
              </Line>
            )
          }
          return (
            <Line
              key={`changed ${id}`}
              tone="text-warn"
              icon={<Pencil aria-hidden="true" size={15} />}
              label={messages.conditions.changeChanged}
            >
              <ConditionText chainType={draft.chainType} condition={difference.after} />
              <span className="block text-ink-soft">
                <ConditionText
                  chainType={saved.chainType}
                  condition={difference.before}
                  format={messages.conditions.was}
                />
              </span>
            </Line>
          )
        })}
      </ul>
    </section>
  )
}

function Line({
  icon,
  label,
  tone = 'text-ink-soft',
  children,
}: {
  icon: React.ReactNode
  label: string
  tone?: string
  children: React.ReactNode
}) {
  return (
    <li className="flex items-start gap-2">
      <span className={`mt-0.5 shrink-0 ${tone}`}>{icon}</span>
      <span className="min-w-0">
        <span className={`font-medium ${tone}`}>{label}: </span>
        {children}
      </span>
    </li>
  )
}
