import { nameAnswer, type Request } from './requests.ts'
import {
  type Brought,
  beginOperation,
  type Operation,
  type Outcome,
  type RunningOperation,
} from './running-operation.ts'

/** The state of an operation: its calls that wait for a response, or its outcome. */
export type Standing = {
  id: number
  waiting: readonly { index: number; node: number; request: Request }[]
  outcome: Outcome | undefined
}

/** Operations that can be resumed in every state: they are restarted and receive the same answers. */
export type ClientMachine = {
  start(operation: Operation): Promise<Standing>
  answer(standing: Standing, index: number, brought: Brought): Promise<Standing>
  /** How often an operation was restarted, and how often its state was already known. */
  readonly counts: { begun: number; known: number }
}

type Kept = Standing & { operation: Operation; history: readonly { index: number; brought: Brought }[] }

/** Operations that stay running in their current state. */
const maxRunning = 2_000

export function createClientMachine(): ClientMachine {
  const kept: Kept[] = []
  const starts = new Map<Operation, Kept>()
  const next = new Map<string, Kept>()
  const running = new Map<number, RunningOperation>()
  const counts = { begun: 0, known: 0 }

  const keep = (operation: Operation, history: Kept['history'], at: RunningOperation): Kept => {
    const waiting = at.calls.flatMap(({ node, request, isOpen }, index) => (isOpen ? [{ index, node, request }] : []))
    const made: Kept = { id: kept.length, operation, history, waiting, outcome: at.outcome }
    kept.push(made)
    if (made.outcome === undefined) running.set(made.id, at)
    const [oldest] = running.keys()
    if (running.size > maxRunning && oldest !== undefined) running.delete(oldest)
    return made
  }
  /** The running operation in a state: the one that reached it, or another one given the same responses. */
  const revive = async ({ id, operation, history }: Kept): Promise<RunningOperation> => {
    const found = running.get(id)
    running.delete(id)
    if (found !== undefined) return found
    counts.begun++
    const again = await beginOperation(operation)
    for (const { index, brought } of history) await again.feed(index, brought)
    return again
  }
  return {
    counts,
    async start(operation) {
      const found = starts.get(operation)
      if (found !== undefined) return found
      counts.begun++
      const made = keep(operation, [], await beginOperation(operation))
      starts.set(operation, made)
      return made
    },
    async answer({ id }, index, brought) {
      const name = `${id} ${index} ${brought === 'nothing' ? '' : nameAnswer(brought)}`
      const found = next.get(name)
      if (found !== undefined) {
        counts.known++
        return found
      }
      const standing = kept[id]
      if (standing === undefined) throw new RangeError(`there is no standing ${id}`)
      const at = await revive(standing)
      await at.feed(index, brought)
      const made = keep(standing.operation, [...standing.history, { index, brought }], at)
      next.set(name, made)
      return made
    },
  }
}
