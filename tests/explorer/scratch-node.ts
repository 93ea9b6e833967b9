import type { DatabaseSync } from 'node:sqlite'
import {
  allCalls,
  CairnError,
  type CallDefinition,
  type ConditionSet,
  encodeError,
  getConditions,
} from '@cairn/protocol'
import { createDependencies, createLogGate, createMetrics, createRateLimiter } from '@cairn/service'
import { openMemory } from '@cairn/service/memory-fixture'
import pino from 'pino'
import * as v from 'valibot'
import { readKeyNodeConfig } from '../../services/keynode/src/config.ts'
import type { Context } from '../../services/keynode/src/context.ts'
import { type Database, migrations } from '../../services/keynode/src/db/database.ts'
import type { Schema } from '../../services/keynode/src/db/schema.ts'
import { deriveNodeKeys } from '../../services/keynode/src/identity.ts'
import { authorizeCall } from '../../services/keynode/src/sessions/authorize.ts'
import { createIssuedTexts } from '../../services/keynode/src/sessions/issued-texts.ts'
import { publicKeyOf } from '../../services/keynode/src/sessions/tokens.ts'
import { type Bind, bindShardCalls, type Work } from '../../services/keynode/src/shards/calls.ts'
import { describeConditions } from '../../services/keynode/src/shards/describe-conditions.ts'
import { promoteRecord } from '../../services/keynode/src/shards/peers/promote.ts'
import { createKeySweep } from '../../services/keynode/src/shards/sweep.ts'
import type { Heard } from './heard.ts'
import { toCommon, toNode } from './key-sets.ts'
import { bearerOf, cid, nodeNumbers, parties } from './parties.ts'
import type { Answer, Request } from './requests.ts'
import { epochMs, findTables, momentAfter, type Rows, readRows, writeRows } from './rows.ts'

/** One node with its real store in memory, which can be put into any state. */
export type ScratchNode = {
  load(rows: Rows, laterMs?: number): void
  read(): Rows
  /** Its peers' answers, in order; none when absent. */
  hear(heard: readonly Heard[] | undefined): void
  wasAsking(): boolean
  pass(ms: number): void
  readonly context: Context
  /** Executes a request with the code of the product. @param db instead of the node's own, which may stop it */
  perform(request: Request, db: Database): Promise<{ answer: Answer; settles: boolean }>
}

const calls = new Map<string, CallDefinition>(allCalls.map((call) => [call.id, call]))
const secretOf = (node: number) => Buffer.alloc(32, node)
const noAnswer: Answer = { status: 200, code: '', body: '' }
const dayMs = 24 * 3_600_000

export async function openScratchNode(node: number): Promise<ScratchNode> {
  const { database, connection } = await openMemory<Schema>({ migrations })
  const others: readonly number[] = nodeNumbers.filter((other) => other !== node)
  const clock = { ms: epochMs, now: () => clock.ms }
  const hearing: { heard: readonly Heard[] | undefined; wasAsking: boolean } = { heard: undefined, wasAsking: false }
  const peers = others
    .map((other) => `${other}=http://127.0.0.1:9#${publicKeyOf(deriveNodeKeys(secretOf(other)).signing)}`)
    .join(',')
  const log = pino({ level: 'silent' })
  const context: Context = {
    config: readKeyNodeConfig({
      CAIRN_KEYNODE_NUMBER: String(node),
      CAIRN_KEYNODE_SECRET: secretOf(node).toString('hex'),
      CAIRN_KEYNODE_PEERS: peers,
      CAIRN_KEYNODE_DOMAINS: 'keys.test',
    }),
    keys: deriveNodeKeys(secretOf(node)),
    db: database,
    peers: {
      async ask(peer) {
        hearing.wasAsking = true
        const heard = hearing.heard?.[others.indexOf(peer.node)] ?? null
        if (heard === null) throw new Error('this peer does not answer')
        return heard
      },
    },
    // There is no chain to query: one address meets every condition.
    conditions: {
      chainNames: ['local'],
      probes: [],
      check: async (_set: ConditionSet, identity: string) => ({
        isMet: identity === parties.holder ? 'true' : 'false',
        results: [],
      }),
      explain: async () => ({ isMet: 'false', results: [] }),
      validateOnCreate: async () => [],
    },
    verifyContract: async () => undefined,
    // The access log decides nothing.
    accesses: { note() {}, async flush() {}, async sweep() {} },
    issued: createIssuedTexts(clock),
    restoredAt: 0,
    clock,
    log,
    failures: createLogGate({ clock, log }),
    dependencies: createDependencies({ clock, log }),
    metrics: createMetrics(),
    rates: createRateLimiter(0, clock),
    authorize: (request, call) => authorizeCall(context, request, call),
  }
  const tables = findTables(connection)
  return {
    context,
    load(rows, laterMs = 0) {
      writeRows(connection as DatabaseSync, tables, context, rows)
      clock.ms = momentAfter(rows) + laterMs
      hearing.wasAsking = false
    },
    read: () => readRows(connection, tables, context),
    hear(heard) {
      hearing.heard = heard
    },
    wasAsking: () => hearing.wasAsking,
    pass(ms) {
      clock.ms += ms
    },
    perform: (request, db) => perform({ ...context, db }, request, (ms) => (clock.ms += ms)),
  }
}

async function perform(
  context: Context,
  { call: id, token, body }: Request,
  pass: (ms: number) => void,
): Promise<{ answer: Answer; settles: boolean }> {
  if (id === 'settle') {
    await promoteRecord(context, cid)
    return { answer: noAnswer, settles: false }
  }
  if (id === 'sweep') {
    pass(1.5 * dayMs)
    await createKeySweep(context)(new AbortController().signal)
    return { answer: noAnswer, settles: false }
  }
  const { node } = context.config
  let settles = false
  const works = new Map<string, Work<CallDefinition>>()
  const bind: Bind = (call, work) => {
    works.set(call.id, work as Work<CallDefinition>)
  }
  bindShardCalls(bind, context, () => {
    settles = true
  })
  const { party, device } = bearerOf(token)
  // The only call that also answers without a session, so it is bound differently.
  bind(getConditions, () => describeConditions(context, cid, parties[party]))
  const call = calls.get(id)
  const work = works.get(id)
  if (call === undefined || work === undefined) throw new Error(`a node knows no ${id}`)
  const caller = {
    address: parties[party],
    challengeId: `${party}-${device}`,
    sessionId: token,
    isBound: true,
    peer: undefined,
  }
  try {
    const params = v.parse(call.params ?? v.unknown(), { node: String(node), cid })
    const given = toNode(body, node)
    const parsed = call.body?.kind === 'json' ? v.parse(call.body.schema, given) : undefined
    const input = { params, body: parsed, query: {} }
    const answer = await work({ input: input as never, caller, signal: new AbortController().signal, ip: '127.0.0.1' })
    return { answer: { status: 200, code: '', body: toCommon(answer, node) }, settles }
  } catch (error) {
    if (!CairnError.is(error)) throw error
    const { status, body: text } = encodeError(call.dialect, error)
    return { answer: { status, code: error.code, body: toCommon(JSON.parse(text), node) }, settles }
  }
}
