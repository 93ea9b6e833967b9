import type { Database } from '../../services/keynode/src/db/database.ts'
import type { Statement } from '../../services/keynode/src/shards/peers/peer-statement.ts'
import { makeStatement } from '../../services/keynode/src/shards/peers/statement.ts'
import { type Heard, nameHeard } from './heard.ts'
import { cid, nodeNumbers } from './parties.ts'
import type { Answer, Request } from './requests.ts'
import type { Rows } from './rows.ts'
import { openScratchNode, type ScratchNode } from './scratch-node.ts'

/** The result of a request: the node's state after it, and its response. */
export type Reply = {
  state: number
  /** Absent if the node stopped before it responded. */
  answer: Answer | undefined
  /** Whether it continues to settle a save. */
  settles: boolean
  /** How many transactions it made. */
  commits: number
  /** The response to the request that came in between. */
  between?: Answer
}

/** How a request is run. */
export type Run = {
  /** The statements of the peers. */
  heard?: readonly Heard[]
  /** The node stops after this many transactions. */
  endsAfter?: number
  /** Idle time before the request. */
  laterMs?: number
  /** Another request arrives before a transaction of this one. */
  between?: { before: number; request: Request }
}

/**
 * A node that can resume from any state. The code of the product determines, once, what a request does to a state;
 * states are numbers, and equal on all nodes.
 */
export type NodeMachine = {
  readonly empty: number
  /** Whether a request makes a node in this state query its peers. */
  asks(state: number, request: Request): Promise<boolean>
  run(state: number, request: Request, run?: Run): Promise<Reply>
  /** What a node in this state states to its peers. */
  stateOf(state: number): Promise<Statement | 'nothing'>
  rows(state: number): Rows
  /** How often the product's code ran, and how often the outcome was already known. */
  readonly counts: { run: number; known: number }
}

class Ended extends Error {}

export async function createNodeMachine(): Promise<NodeMachine> {
  const nodes: ScratchNode[] = []
  for (const node of nodeNumbers) nodes.push(await openScratchNode(node))
  let turn = 0
  const nextNode = (): ScratchNode => {
    const node = nodes[turn++ % nodes.length]
    if (node === undefined) throw new Error('there are no nodes')
    return node
  }

  const states: Rows[] = []
  const byText = new Map<string, number>()
  const intern = (rows: Rows): number => {
    const text = JSON.stringify(rows)
    const found = byText.get(text)
    if (found !== undefined) return found
    byText.set(text, states.length)
    return states.push(rows) - 1
  }
  const rowsOf = (state: number): Rows => {
    const rows = states[state]
    if (rows === undefined) throw new RangeError(`there is no state ${state}`)
    return rows
  }

  const counts = { run: 0, known: 0 }
  const replies = new Map<string, Reply>()
  const asking = new Map<string, boolean>()
  const statements = new Map<number, Statement | 'nothing'>()

  const runOnce = async (state: number, request: Request, { heard, endsAfter, laterMs, between }: Run) => {
    counts.run++
    const node = nextNode()
    node.load(rowsOf(state), laterMs)
    node.hear(heard)
    const { db } = node.context
    let commits = 0
    let answered: Answer | undefined
    const watched: Database = {
      ...db,
      async write(unit) {
        if (between?.before === commits) {
          node.pass(1)
          answered = (await node.perform(between.request, db)).answer
        }
        const made = await db.write(unit)
        commits++
        if (endsAfter === commits) throw new Ended()
        return made
      },
    }
    const done = await node.perform(request, watched).catch((error: unknown) => {
      if (error instanceof Ended) return undefined
      throw error
    })
    const reply: Reply = {
      state: intern(node.read()),
      answer: done?.answer,
      settles: done?.settles ?? false,
      commits,
      ...(answered === undefined ? {} : { between: answered }),
    }
    return { reply, wasAsking: node.wasAsking() }
  }

  return {
    empty: intern(nextNode().read()),
    counts,
    rows: rowsOf,
    async asks(state, request) {
      const name = `${state} ${request.id}`
      const found = asking.get(name)
      if (found !== undefined) return found
      const { reply, wasAsking } = await runOnce(state, request, {})
      asking.set(name, wasAsking)
      if (!wasAsking) replies.set(name, reply)
      return wasAsking
    },
    async run(state, request, run = {}) {
      const { heard, endsAfter, laterMs = 0, between } = run
      const isPlain = heard === undefined && endsAfter === undefined && laterMs === 0 && between === undefined
      const name = isPlain
        ? `${state} ${request.id}`
        : `${state} ${request.id} ${heard === undefined ? '' : nameHeard(heard)} ${endsAfter} ${laterMs} ${between?.before} ${between?.request.id}`
      const found = replies.get(name)
      if (found !== undefined) {
        counts.known++
        return found
      }
      const { reply } = await runOnce(state, request, run)
      replies.set(name, reply)
      return reply
    },
    async stateOf(state) {
      const found = statements.get(state)
      if (found !== undefined) return found
      const node = nextNode()
      node.load(rowsOf(state))
      const made = (await makeStatement(node.context, cid)) ?? 'nothing'
      statements.set(state, made)
      return made
    },
  }
}
