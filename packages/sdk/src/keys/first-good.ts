import { CairnError } from '@cairn/protocol'

/** Asks one node after the other until one answers; a refusal is an answer, a fault is not. @throws CairnError the last fault, or the refusal */
export async function firstGood<T>(nodes: readonly number[], ask: (node: number) => Promise<T>): Promise<T> {
  let last: CairnError | undefined
  for (const node of nodes) {
    try {
      return await ask(node)
    } catch (error) {
      last = CairnError.from(error)
      const isFault = last.retry || last.code === 'NO_SESSION' || last.code === 'UNEXPECTED_RESPONSE'
      if (!isFault) throw last
    }
  }
  throw last ?? new CairnError('NO_KEY_NODES')
}
