import type { explainAccess } from '@cairn/sdk'
import { CircleCheck, CircleHelp, CircleX } from '#icons'
import { words } from '../words/words.ts'
import { readText } from './condition-parts.ts'
import { describeCondition, describeObserved } from './describe-condition.ts'
import { emptyDraft, fromSaved } from './draft.ts'
import { useConditions } from './use-conditions.ts'

/** What key nodes said about an address. */
export type Verdict = Awaited<ReturnType<typeof explainAccess>>
export type Finding = Verdict['conditions'][number]

const marks = {
  true: { Icon: CircleCheck, className: 'text-good' },
  false: { Icon: CircleX, className: 'text-bad' },
  unknown: { Icon: CircleHelp, className: 'text-warn' },
} as const

/** What the key nodes found about each condition of a file, for one address. */
export function ConditionFindings({ cid, verdict }: { cid: string; verdict: Verdict }) {
  const { data } = useConditions(cid)
  const draft = data === undefined ? emptyDraft : fromSaved(data)
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold text-sm">{words.access.deniedLines}</h3>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {verdict.conditions.map((finding) => {
          const id = String(finding.id)
          const condition = draft.conditions.find((one) => readText(one, ['id']) === id)
          return (
            <li key={id} className="px-3 py-2.5">
              <FindingLine
                finding={finding}
                show={(observed) =>
                  condition === undefined ? show(observed) : describeObserved(draft.chainType, condition, observed)
                }
              >
                {condition === undefined
                  ? words.conditions.condition(id)
                  : describeCondition(draft.chainType, condition)}
              </FindingLine>
            </li>
          )
        })}
      </ul>
      {verdict.aggregator === null || verdict.aggregator === '' ? undefined : (
        <p className="text-ink-soft text-sm">
          {words.access.deniedJoin} <code className="font-mono">{verdict.aggregator.replace(/[[\]]/g, '')}</code>
        </p>
      )}
    </section>
  )
}

/** What was found of one condition: a mark, its word, what the chain said and why. */
export function FindingLine({
  finding: { result, observed, reason },
  show: showObserved,
  children,
}: {
  finding: Finding
  /** What the chain said, in the words of the condition. */
  show: (observed: unknown) => string
  children?: React.ReactNode
}) {
  const { Icon, className } = marks[result]
  return (
    <div className="flex items-start gap-3 text-sm">
      <Icon aria-hidden="true" size={18} className={`mt-px shrink-0 ${className}`} />
      <div className="min-w-0">
        {children === undefined ? undefined : <p>{children}</p>}
        <p className="break-words text-ink-soft">
          <span className={`font-medium ${className}`}>{words.conditions.result[result]}</span>
          {observed === undefined || observed === null ? '' : `. ${words.conditions.observed(showObserved(observed))}`}
          {reason === undefined ? '' : `. ${reason}`}
        </p>
      </div>
    </div>
  )
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
