import { type RawCondition, readText } from './condition-parts.ts'
import { aggregatorOf, type Draft } from './draft.ts'

/** One difference between the saved conditions and a draft. */
export type Difference =
  | { kind: 'added'; id: string; after: RawCondition }
  | { kind: 'removed'; id: string; before: RawCondition }
  | { kind: 'changed'; id: string; before: RawCondition; after: RawCondition }
  | { kind: 'joined'; before: string; after: string }

/** Returns what saving a draft would change, condition by condition. */
export function diffDrafts(saved: Draft, draft: Draft): Difference[] {
  const before = byId(saved)
  const after = byId(draft)
  const isSameFamily = saved.chainType === draft.chainType
  const differences: Difference[] = []
  for (const [id, condition] of before) {
    const now = isSameFamily ? after.get(id) : undefined
    if (now === undefined) differences.push({ kind: 'removed', id, before: condition })
    else if (sorted(now) !== sorted(condition)) differences.push({ kind: 'changed', id, before: condition, after: now })
  }
  for (const [id, condition] of after) {
    if (!isSameFamily || !before.has(id)) differences.push({ kind: 'added', id, after: condition })
  }
  const [was, is] = [aggregatorOf(saved), aggregatorOf(draft)]
  if (was !== is && is !== '') differences.push({ kind: 'joined', before: was, after: is })
  return differences
}

function byId({ conditions }: Draft): Map<string, RawCondition> {
  return new Map(conditions.map((condition) => [readText(condition, ['id']), condition]))
}

/** Serialises equal fields equally, in any order. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
