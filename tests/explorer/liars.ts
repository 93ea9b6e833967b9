import type { Statement } from '../../services/keynode/src/shards/peers/peer-statement.ts'
import { digestOf } from '../../services/keynode/src/shards/store.ts'
import type { Heard } from './heard.ts'
import { parties } from './parties.ts'
import type { Answer, Request } from './requests.ts'

/** A way to lie. Without a lie of its own for a call it tells the truth. Every liar returns its shards to every caller. */
export type Liar = {
  /** Whether it executes requests. */
  obeys: boolean
  /** What it answers a client instead of the truth. */
  answer?(request: Request, honest: Answer): Answer
  /** What it states to a peer instead of the truth. */
  state?(honest: Heard, asker: Heard): Heard
}

const changes = new Set([
  'saveShard',
  'shareKey',
  'revokeKey',
  'transferOwnership',
  'createConditions',
  'updateConditions',
  'removeConditions',
  'retireKey',
])
/** Far above any existing version. */
const boast = 1_000

const success: Answer = { status: 200, code: '', body: '{"message":"success"}' }
const refusal: Answer = { status: 403, code: 'ACCESS_DENIED', body: '{"message":"Access Denied"}' }
const ignorance: Answer = { status: 400, code: 'KEY_NOT_FOUND', body: '{"message":"cid not found","data":null}' }

type StatusLie = (status: { version: number; owner: string; sharedTo: string[]; revocations: unknown[] }) => object

function lieOfStatus(lie: StatusLie): NonNullable<Liar['answer']> {
  return ({ call }, honest) => {
    if (call !== 'getKeyStatus' || honest.status !== 200) return honest
    const status: Parameters<StatusLie>[0] = JSON.parse(honest.body)
    return { ...honest, body: JSON.stringify({ ...status, ...lie(status) }) }
  }
}

/** A statement with other rights, and the matching digest. */
function lieOfRights(one: Heard, lie: (one: Statement) => Partial<Statement>): Heard {
  if (one === null || one === 'nothing') return one
  const after = { ...one, ...lie(one) }
  const { owner, conditions, setId, successor, state, sharedTo } = after
  const isRetired = state === 'retired'
  return { ...after, digest: digestOf({ owner, conditions, set_id: setId, successor, isRetired, sharedTo }) }
}

const boastful: StatusLie = ({ version }) => ({ version: version + boast })
const boastOf = (one: Heard): Heard => lieOfRights(one, ({ version }) => ({ version: version + boast }))
const pretendSuccess: NonNullable<Liar['answer']> = ({ call }, honest) => (changes.has(call) ? success : honest)
const stolen = { owner: parties.stranger, sharedTo: [parties.recipient] }

/** Ways to lie, by name. */
export const liars: Record<string, Liar> = {
  'says yes and does nothing': { obeys: false, answer: pretendSuccess },
  'refuses every caller': { obeys: true, answer: () => refusal, state: () => null },
  'knows of nothing': { obeys: true, answer: () => ignorance, state: () => 'nothing' },
  'boasts of its version': { obeys: true, answer: lieOfStatus(boastful), state: boastOf },
  'clings to what was': {
    obeys: false,
    answer: (request, honest) => pretendSuccess(request, lieOfStatus(boastful)(request, honest)),
    state: boastOf,
  },
  'gives the file to a stranger': {
    obeys: true,
    answer: lieOfStatus((status) => ({ ...stolen, ...boastful(status) })),
    state: (honest) => lieOfRights(honest, ({ version }) => ({ ...stolen, version: version + boast })),
  },
  'tells of revocations': {
    obeys: true,
    answer: lieOfStatus((status) => ({
      sharedTo: [],
      revocations: Object.values(parties).map((address) => ({ address, times: boast })),
      ...boastful(status),
    })),
    state: (honest) => lieOfRights(honest, ({ version }) => ({ sharedTo: [], version: version + boast })),
  },
  'agrees with every caller': {
    obeys: true,
    state: (honest, asker) => boastOf(asker === 'nothing' ? honest : asker),
  },
}

export const liarNames = Object.keys(liars)
