import type { explainAccess } from '@cairn/sdk'
import { CircleCheck, CircleHelp, CircleX } from '#icons'
import { describeReason } from '../messages/describe-reason.ts'
import { capitalize } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { type DraftChainType, type RawCondition, readText } from './condition-parts.ts'
import { describeCondition, describeObserved } from './describe-condition.ts'
import { emptyDraft, fromSaved } from './draft.ts'
import { useConditionUnits } from './use-condition-units.ts'
import { useConditions } from './use-conditions.ts'

/** Verdict of the key nodes about an address. */
export type Verdict = Awaited<ReturnType<typeof explainAccess>>
export type Finding = Verdict['conditions'][number]

const marks = {
  true: { Icon: CircleCheck, className: 'text-good' },
  false: { Icon: CircleX, className: 'text-bad' },
  unknown: { Icon: CircleHelp, className: 'text-warn' },
} as const

/** Shows the findings of the key nodes for each condition of a file and one address. */
export function ConditionFindings({ cid, verdict }: { cid: string; verdict: Verdict }) {
  const { data } = useConditions(cid)
  const draft = data === undefined ? emptyDraft : fromSaved(data)
  return (
    <section className="flex flex-col gap-2">
      <h3 className="font-semibold text-sm">{messages.access.deniedLines}</h3>
      <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
        {verdict.conditions.map((finding) => {
          const id = String(finding.id)
          const condition = draft.conditions.find((one) => readText(one, ['id']) === id)
          return (
            <li key={id} className="px-3 py-2.5">
              {condition === undefined ? (
                <FindingLine finding={finding} show={show}>
                  {messages.conditions.condition(id)}
                </FindingLine>
              ) : (
                <KnownFinding chainType={draft.chainType} condition={condition} finding={finding} />
              )}
            </li>
          )
        })}
      </ul>
      {verdict.aggregator === null || verdict.aggregator === '' ? undefined : (
        <p className="text-ink-soft text-sm">
          {messages.access.deniedJoin} <code className="font-mono">{verdict.aggregator.replace(/[[\]]/g, '')}</code>
        </p>
      )}
    </section>
  )
}

/** The finding for a known condition, in its own units. */
function KnownFinding({
  chainType,
  condition,
  finding,
}: {
  chainType: DraftChainType
  condition: RawCondition
  finding: Finding
}) {
  const units = useConditionUnits(chainType, condition)
  return (
    <FindingLine finding={finding} show={(observed) => describeObserved(chainType, condition, observed, units)}>
      {describeCondition(chainType, condition, units)}
    </FindingLine>
  )
}

/** Shows the finding of one condition: an icon, its label, the value on the chain and the reason. */
export function FindingLine({
  finding: { result, observed, reason, reasonFacts },
  show: showObserved,
  children,
}: {
  finding: Finding
  /** Formats the value on the chain for the condition. */
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
          <span className={`font-medium ${className}`}>{messages.conditions.result[result]}</span>
          {observed === undefined || observed === null
            ? ''
            : `. ${messages.conditions.observed(showObserved(observed))}`}
          {reason === undefined ? '' : `. ${capitalize(describeReason(reason, reasonFacts))}`}
        </p>
      </div>
    </div>
  )
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
