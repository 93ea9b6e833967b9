import { CairnError, keyShardThreshold } from '@cairn/protocol'
import { groupBy } from './group-by.ts'

/**
 * Asks one node after the other until one answers. A refusal counts once three nodes refuse alike: one alone keeps nobody from
 * what the others would say.
 * @throws CairnError the refusal, or what most nodes failed with
 */
export async function firstGood<T>(nodes: readonly number[], ask: (node: number) => Promise<T>): Promise<T> {
  const errors: CairnError[] = []
  for (const node of nodes) {
    try {
      return await ask(node)
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
