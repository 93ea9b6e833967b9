import { CairnError, keyShardThreshold } from '@cairn/protocol'
import { groupBy } from './group-by.ts'

/**
 * Calls nodes one after the other until one succeeds. A rejection is final once three nodes agree on it: a single node
 * must not hide the answers of the others.
 * @throws CairnError the rejection, or the error of most nodes
 */
export async function firstSuccessful<T>(nodes: readonly number[], call: (node: number) => Promise<T>): Promise<T> {
  const errors: CairnError[] = []
  for (const node of nodes) {
    try {
      return await call(node)
    } catch (error) {
      const failure = CairnError.from(error)
      if (failure.code === 'ABORTED') throw failure
      errors.push(failure)
      const isNodeProblem = failure.retry || failure.code === 'NO_SESSION' || failure.code === 'UNEXPECTED_RESPONSE'
      const alike = errors.filter(({ code }) => code === failure.code)
      if (!isNodeProblem && alike.length >= keyShardThreshold) throw failure
    }
  }
  const [commonest] = groupBy(errors, ({ code }) => code).sort(([, a], [, b]) => b.length - a.length)
  throw commonest?.[1][0] ?? new CairnError('NO_KEY_NODES')
}
