import { doAtOnce, hear } from './do-request.ts'
import { nodeNumbers } from './parties.ts'
import { type Answer, type Request, requestOf } from './requests.ts'
import type { Brought } from './running-operation.ts'
import { type Rules, type Running, replaceAt, stateAt, type World, withNumber, without } from './world.ts'

/** One step, and the world after it. */
export type Move = { label: string; next: World }

/** Calls that only query. */
const reading = new Set(['getKeyStatus', 'retrieveShard', 'getConditions'])

/** All possible next steps. */
export async function findMoves(rules: Rules, world: World): Promise<Move[]> {
  const moves: Move[] = []
  for (const client of world.clients.keys()) moves.push(...(await moveClient(rules, world, client)))
  for (const running of world.running) moves.push(...(await moveRunning(rules, world, running)))
  for (const one of world.late) {
    if (world.down.includes(one.node)) continue
    const reply = await doAtOnce(rules, world, one.node, one.request)
    const next = apply({ ...world, late: without(world.late, one) }, one.node, reply)
    moves.push({ label: `${one.request.call} finally reaches ${one.node}: ${describeAnswer(reply.answer)}`, next })
  }
  moves.push(...(await settle(rules, world)), ...(await sweep(rules, world)))
  for (const node of world.down)
    moves.push({ label: `node ${node} is back`, next: { ...world, down: without(world.down, node) } })
  return moves
}

/** Possible outcomes of the next call of an operation. */
async function moveClient(rules: Rules, before: World, client: number): Promise<Move[]> {
  const standing = before.clients[client]
  const first = standing?.waiting.find(({ index }) => !isRunning(before, client, index))
  if (standing === undefined || first === undefined) return []
  const { index, node, request } = first
  const name = rules.operations[client]?.name
  const who = `${name}: ${request.call} at ${node}`
  const world = begin(before, client)
  const bring = (from: World, brought: Brought) => bringTo(rules, from, client, index, brought)
  if (!rules.bounds.isFine && standing.waiting.every((one) => reading.has(one.request.call)))
    return [{ label: `${name}: ${request.call} at all nodes`, next: await readAll(rules, world, client) }]
  if (world.down.includes(node)) return [{ label: `${who}, which is down`, next: await bring(world, 'nothing') }]

  const moves: Move[] = []
  const { bounds, liar } = rules
  const isLiar = liar?.node === node
  const canFault = world.used.faults < bounds.faults
  const canCrash = !isLiar && world.used.crashes < bounds.crashes
  const faulted: World = { ...world, used: { ...world.used, faults: world.used.faults + 1 } }
  const isReading = reading.has(request.call)
  const state = stateAt(world, node)
  if (!isLiar && (bounds.isFine || !isReading) && (await rules.nodes.asks(state, request))) {
    const heard = await hear(rules, world, node)
    const go = (from: World, running: Running): World => ({ ...from, running: [...from.running, running] })
    const waits = { client, index }
    moves.push({ label: `${who} asks its peers`, next: go(world, { node, request, heard, waits }) })
    if (canFault && !isReading) {
      const left = await bring(faulted, 'nothing')
      moves.push({ label: `${who} asks its peers, the answer will be lost`, next: go(left, { node, request, heard }) })
    }
  } else {
    const reply = await doAtOnce(rules, world, node, request)
    const { answer = 'nothing' } = reply
    const isChanged = reply.state !== state
    moves.push({
      label: `${who}: ${describeAnswer(reply.answer)}`,
      next: await bring(apply(world, node, reply), answer),
    })
    if (canFault && isChanged) {
      const done = apply(faulted, node, reply)
      moves.push({ label: `${who}: done, the answer is lost`, next: await bring(done, 'nothing') })
      const again = await bring(done, answer)
      moves.push({ label: `${who}: done, and sent twice`, next: sendLate(again, { node, client, request }) })
    }
    if (canCrash && isChanged) {
      const ended = end(apply(world, node, reply), node)
      moves.push({ label: `${who}: done, the node ends before it answers`, next: await bring(ended, 'nothing') })
    }
  }
  if (canFault) {
    const lost = await bring(faulted, 'nothing')
    moves.push({ label: `${who}: lost`, next: lost })
    if (!isReading) moves.push({ label: `${who}: late`, next: sendLate(lost, { node, client, request }) })
  }
  // A node that is down shows only when a client or another node calls it.
  const asked = !canCrash ? [] : (await rules.nodes.asks(state, request)) ? nodeNumbers : [node]
  for (const one of asked) {
    if (one !== liar?.node && !before.down.includes(one))
      moves.push({ label: `node ${one} ends`, next: end(before, one) })
  }
  return moves
}

/** Possible outcomes of a request for which a node has queried its peers. */
async function moveRunning(rules: Rules, world: World, running: Running): Promise<Move[]> {
  const { node, request, heard, waits } = running
  const rest: World = { ...world, running: without(world.running, running) }
  const bring = async (from: World, brought: Brought) =>
    waits === undefined ? from : bringTo(rules, from, waits.client, waits.index, brought)
  const who = `${waits === undefined ? 'no client' : rules.operations[waits.client]?.name}: ${request.call} at ${node}`
  if (world.down.includes(node)) return [{ label: `${who} ended with the node`, next: await bring(rest, 'nothing') }]
  const state = stateAt(world, node)
  const reply = await rules.nodes.run(state, request, { heard })
  const { answer = 'nothing', commits } = reply
  const moves = [
    { label: `${who} continues: ${describeAnswer(reply.answer)}`, next: await bring(apply(rest, node, reply), answer) },
  ]
  for (let endsAfter = 1; world.used.crashes < rules.bounds.crashes && endsAfter <= commits; endsAfter++) {
    const cut = await rules.nodes.run(state, request, { heard, endsAfter })
    const next = await bring(end(apply(rest, node, cut), node), 'nothing')
    moves.push({ label: `${who} continues, the node ends after commit ${endsAfter}`, next })
  }
  for (const [client, { waiting }] of world.clients.entries()) {
    const [other] = waiting
    if (other?.node !== node || client === waits?.client || isRunning(world, client, other.index)) continue
    if (await rules.nodes.asks(state, other.request)) continue
    for (let before = 0; before < commits; before++) {
      const mixed = await rules.nodes.run(state, request, { heard, between: { before, request: other.request } })
      if (mixed.between === undefined) continue
      const after = begin(apply(rest, node, mixed), client)
      const atOther = await bringTo(rules, after, client, other.index, mixed.between)
      const name = `${rules.operations[client]?.name}: ${other.request.call}`
      const next = await bring(atOther, mixed.answer ?? 'nothing')
      moves.push({
        label: `${who} continues; before commit ${before + 1}, ${name} arrives: ${describeAnswer(mixed.between)}`,
        next,
      })
    }
  }
  return moves
}

/** One look at all nodes, as one step. */
async function readAll(rules: Rules, world: World, client: number): Promise<World> {
  let after = world
  for (const { index, node, request } of world.clients[client]?.waiting ?? []) {
    if (after.down.includes(node)) {
      after = await bringTo(rules, after, client, index, 'nothing')
      continue
    }
    const reply = await doAtOnce(rules, after, node, request)
    after = await bringTo(rules, apply(after, node, reply), client, index, reply.answer ?? 'nothing')
  }
  return after
}

async function settle(rules: Rules, world: World): Promise<Move[]> {
  const ready = world.settling.filter((node) => !world.down.includes(node))
  const settleOne = async (from: World, node: number): Promise<World> => {
    const { state } = await doAtOnce(rules, from, node, requestOf('settle'))
    return { ...from, nodes: replaceAt(from.nodes, node - 1, state), settling: without(from.settling, node) }
  }
  if (rules.bounds.isFine)
    return Promise.all(
      ready.map(async (node) => ({ label: `node ${node} settles`, next: await settleOne(world, node) })),
    )
  let next = world
  for (const node of ready) next = await settleOne(next, node)
  return ready.length === 0 ? [] : [{ label: `nodes ${ready.join(', ')} settle`, next }]
}

async function sweep(rules: Rules, world: World): Promise<Move[]> {
  if (world.used.sweeps >= (rules.bounds.sweeps ?? 0)) return []
  let next: World = { ...world, used: { ...world.used, sweeps: world.used.sweeps + 1 } }
  for (const node of nodeNumbers) {
    if (world.down.includes(node) || rules.liar?.node === node) continue
    const { state } = await doAtOnce(rules, next, node, requestOf('sweep'))
    next = { ...next, nodes: replaceAt(next.nodes, node - 1, state) }
  }
  return [{ label: 'the nodes sweep, a day and a half later', next }]
}

function isRunning({ running }: World, client: number, index: number): boolean {
  return running.some(({ waits }) => waits?.client === client && waits.index === index)
}

/** Passes the result of a call to an operation; a client that has left does not receive it. */
async function bringTo(rules: Rules, from: World, client: number, index: number, brought: Brought): Promise<World> {
  const standing = from.clients[client]
  if (standing?.waiting.some((one) => one.index === index) !== true) return from
  return { ...from, clients: replaceAt(from.clients, client, await rules.clients.answer(standing, index, brought)) }
}

/** Records which operations had ended, with all of their requests, when another one started. */
function begin(from: World, client: number): World {
  if (from.begunAfter[client] !== undefined) return from
  const ended = from.clients.flatMap(({ outcome }, i) =>
    outcome === undefined || from.late.some((one) => one.client === i) ? [] : [i],
  )
  return { ...from, begunAfter: replaceAt(from.begunAfter, client, ended) }
}

function apply(from: World, node: number, { state, settles }: { state: number; settles: boolean }): World {
  const settling = settles ? withNumber(from.settling, node) : from.settling
  return { ...from, nodes: replaceAt(from.nodes, node - 1, state), settling }
}

/** A node stops and loses what it would have settled. */
function end(from: World, node: number): World {
  const used = { ...from.used, crashes: from.used.crashes + 1 }
  return { ...from, used, down: withNumber(from.down, node), settling: without(from.settling, node) }
}

function sendLate(from: World, request: { node: number; client: number; request: Request }): World {
  return { ...from, late: [...from.late, request] }
}

function describeAnswer(answer: Answer | undefined): string {
  return answer === undefined ? 'no answer' : answer.code === '' ? 'done' : answer.code
}
