import type { Expression } from '@cairn/protocol'
import { messages } from '../messages/messages.ts'
import { Segments } from '../ui/forms/Segments.tsx'
import { TextField } from '../ui/forms/TextField.tsx'
import { aggregatorOf, type Draft, type JoinMode, readGrouping } from './draft.ts'

/** Chooses how conditions are combined, and shows how a custom grouping is parsed. */
export function JoinFields({
  draft,
  failure,
  onChange,
}: {
  draft: Draft
  failure: string | undefined
  onChange: (draft: Draft) => void
}) {
  const expression = draft.mode === 'own' ? readGrouping(draft) : undefined
  const choose = (mode: JoinMode) =>
    onChange({
      ...draft,
      mode,
      // A custom grouping starts from the previous choice.
      grouping: mode === 'own' && draft.mode !== 'own' ? aggregatorOf(draft).replace(/[[\]]/g, '') : draft.grouping,
    })
  return (
    <div className="flex flex-col gap-3">
      <Segments
        label={messages.conditions.joining}
        isLabelShown
        value={draft.mode}
        onChange={choose}
        options={[
          { value: 'all', label: messages.conditions.joinAll },
          { value: 'any', label: messages.conditions.joinAny },
          { value: 'own', label: messages.conditions.joinOwn },
        ]}
      />
      {draft.mode === 'own' ? (
        <>
          <TextField
            label={messages.conditions.grouping}
            hint={messages.conditions.groupingHint}
            value={draft.grouping}
            spellCheck={false}
            onChange={({ currentTarget }) => onChange({ ...draft, grouping: currentTarget.value })}
            lateError={failure}
          />
          {expression === undefined ? undefined : (
            <div>
              <p className="mb-1 font-medium text-sm">{messages.conditions.groupingMeans}</p>
              <Group expression={expression} isTop />
            </div>
          )}
        </>
      ) : undefined}
    </div>
  )
}

/** A group as a frame around its parts. */
function Group({ expression, isTop = false }: { expression: Expression; isTop?: boolean }) {
  if (expression.kind === 'condition') {
    return (
      <span className="inline-grid h-7 min-w-7 place-items-center rounded-full bg-accent-soft px-2 font-semibold text-accent-ink text-sm tabular">
        {expression.id}
      </span>
    )
  }
  if (expression.kind === 'not') {
    return (
      <span className="inline-flex items-center gap-1.5">
        <span className="text-bad text-sm">{messages.conditions.not}</span>
        <Group expression={expression.of} />
      </span>
    )
  }
  const word = messages.conditions[expression.kind]
  return (
    <span
      className={`inline-flex flex-wrap items-center gap-1.5 rounded-lg border p-1.5 ${isTop ? 'border-transparent px-0' : 'border-accent-line bg-sunken'}`}
    >
      {expression.of.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place.
        <span key={i} className="inline-flex items-center gap-1.5">
          {i === 0 ? undefined : <span className="text-ink-soft text-sm">{word}</span>}
          <Group expression={part} />
        </span>
      ))}
    </span>
  )
}
