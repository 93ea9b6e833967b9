import { useState } from 'react'
import { useKeyReport } from '../access/use-key-report.ts'
import { useSession } from '../session/session-store.ts'
import { ErrorState } from '../ui/ErrorState.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { words } from '../words/words.ts'
import { CheckAddress, type Tried } from './CheckAddress.tsx'
import { ConditionFindings } from './ConditionFindings.tsx'
import { ConditionsEditor } from './ConditionsEditor.tsx'
import { readText } from './condition-parts.ts'
import { describeCondition } from './describe-condition.ts'
import { aggregatorOf, type Draft, fromSaved } from './draft.ts'
import { useConditions } from './use-conditions.ts'

/** The conditions of a file: its owner edits them, everybody else reads them. */
export function ConditionsSection({ cid, name }: { cid: string; name: string }) {
  const address = useSession()?.keySession?.address
  const { data: report } = useKeyReport(cid)
  const { data, error, refetch } = useConditions(cid)
  // Who may change them is known when the nodes have said who owns the file.
  if (report?.agreed === undefined) return undefined
  const { owner, sharedTo } = report.agreed
  const isOwner = owner === address
  if (!isOwner && !sharedTo.includes(address ?? '')) return undefined
  return (
    <section>
      <h2 className="font-semibold text-sm">{words.conditions.title}</h2>
      <p className="mt-1 mb-3 text-ink-soft text-sm">{words.conditions.hint}</p>
      {data === undefined ? (
        error === null ? (
          <Skeleton className="h-24 w-full" />
        ) : (
          <ErrorState error={error} onRetry={() => refetch()} />
        )
      ) : isOwner ? (
        <ConditionsEditor cid={cid} name={name} saved={fromSaved(data)} />
      ) : (
        <Reader cid={cid} draft={fromSaved(data)} />
      )}
    </section>
  )
}

/** Who cannot change conditions reads them, and may ask about himself. */
function Reader({ cid, draft }: { cid: string; draft: Draft }) {
  const [tried, setTried] = useState<Tried>()
  return (
    <div className="flex flex-col gap-6">
      <ReadOnly draft={draft} />
      {draft.conditions.length === 0 ? undefined : (
        <>
          <CheckAddress cid={cid} draft={draft} canAskOthers={false} tried={tried} onTried={setTried} />
          {tried === undefined ? undefined : <ConditionFindings cid={cid} verdict={tried.verdict} />}
        </>
      )}
    </div>
  )
}

function ReadOnly({ draft }: { draft: Draft }) {
  if (draft.conditions.length === 0) return <p className="text-sm">{words.conditions.emptyTitle}</p>
  const aggregator = aggregatorOf(draft).replace(/[[\]]/g, '')
  return (
    <div className="flex flex-col gap-2 text-sm">
      <ol className="divide-y divide-line rounded-lg border border-line">
        {draft.conditions.map((condition) => {
          const id = readText(condition, ['id'])
          return (
            <li key={id} className="flex gap-3 px-3 py-2.5">
              <span className="font-semibold text-accent-ink tabular">{id}</span>
              <span className="min-w-0">{describeCondition(draft.chainType, condition)}</span>
            </li>
          )
        })}
      </ol>
      {aggregator === '' ? undefined : (
        <p className="text-ink-soft">
          {words.access.deniedJoin} <code className="font-mono">{aggregator}</code>
        </p>
      )}
      <p className="text-ink-soft">{words.conditions.readOnly}</p>
    </div>
  )
}
