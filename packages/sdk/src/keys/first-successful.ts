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
      const fault = CairnError.from(error)
      if (fault.code === 'ABORTED') throw fault
      errors.push(fault)
      const isFault = fault.retry || fault.code === 'NO_SESSION' || fault.code === 'UNEXPECTED_RESPONSE'
      const alike = errors.filter(({ code }) => code === fault.code)
      if (!isFault && alike.length >= keyShardThreshold) throw fault
    }
  }
  const [commonest] = groupBy(errors, ({ code }) => code).sort(([, a], [, b]) => b.length - a.length)
  throw commonest?.[1][0] ?? new CairnError('NO_KEY_NODES')
}
