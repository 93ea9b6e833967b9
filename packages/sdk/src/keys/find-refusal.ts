import { CairnError, keyShardThreshold } from '@cairn/protocol'
import { groupBy } from './group-by.ts'

/**
 * Returns why no answer of the nodes can be used. A refusal counts if three nodes agree on it: others may have the key and be
 * offline.
 */
export function findRefusal(errors: readonly CairnError[]): CairnError {
  const alike = groupBy(errors, ({ code }) => code).find(([, named]) => named.length >= keyShardThreshold)
  return alike?.[1][0] ?? errors.find(({ retry }) => retry) ?? errors[0] ?? new CairnError('NO_KEY_NODES')
}
