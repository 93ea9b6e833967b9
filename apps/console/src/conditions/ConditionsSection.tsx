import { useState } from 'react'
import { useKeyReport } from '../key-changes/use-key-report.ts'
import { messages } from '../messages/messages.ts'
import { useSession } from '../session/session-store.ts'
import { QueryView } from '../ui/states/QueryView.tsx'
import { CheckAddress, type Tried } from './CheckAddress.tsx'
import { ConditionFindings } from './ConditionFindings.tsx'
import { ConditionsEditor } from './ConditionsEditor.tsx'
import { ConditionText } from './ConditionText.tsx'
import { readText } from './condition-parts.ts'
import { aggregatorOf, type Draft, fromSaved } from './draft.ts'
import { useConditions } from './use-conditions.ts'

/** The conditions of a file: its owner edits them, other users read them. */
export function ConditionsSection({ cid, name }: { cid: string; name: string }) {
  const address = useSession()?.keySession?.address
  const { data: report } = useKeyReport(cid)
  const { data, error, refetch } = useConditions(cid)
  // The editor is decided once the nodes report the owner of the file.
  if (report?.agreed === undefined) return undefined
  const { owner, sharedTo } = report.agreed
  const isOwner = owner === address
  if (!isOwner && !sharedTo.includes(address ?? '')) return undefined
  return (
    <section aria-labelledby="conditions-title">
      <h2 id="conditions-title" className="font-semibold text-sm">
        {messages.conditions.title}
      </h2>
      <p className="mt-1 mb-3 text-ink-soft text-sm">{messages.conditions.hint}</p>
      <QueryView query={{ data, error, refetch }} skeleton="h-24 w-full">
        {(data) =>
          isOwner ? (
            <ConditionsEditor cid={cid} name={name} saved={fromSaved(data)} />
          ) : (
            <Reader cid={cid} draft={fromSaved(data)} />
          )
        }
      </QueryView>
    </section>
  )
}

/** Users who cannot change conditions read them, and may test their own address. */
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
  if (draft.conditions.length === 0) return <p className="text-sm">{messages.conditions.emptyTitle}</p>
  const aggregator = aggregatorOf(draft).replace(/[[\]]/g, '')
  return (
    <div className="flex flex-col gap-2 text-sm">
      <ol className="divide-y divide-line rounded-lg border border-line bg-surface">
        {draft.conditions.map((condition) => {
          const id = readText(condition, ['id'])
          return (
            <li key={id} className="flex gap-3 px-3 py-2.5">
              <span className="font-semibold text-accent-ink tabular">{id}</span>
              <span className="min-w-0">
                <ConditionText chainType={draft.chainType} condition={condition} />
              </span>
            </li>
          )
        })}
      </ol>
      {aggregator === '' ? undefined : (
        <p className="text-ink-soft">
          {messages.access.deniedJoin} <code className="font-mono">{aggregator}</code>
        </p>
      )}
      <p className="text-ink-soft">{messages.conditions.readOnly}</p>
    </div>
  )
}
