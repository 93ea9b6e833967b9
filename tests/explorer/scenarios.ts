import type { Intent } from './operations.ts'
import * as make from './operations.ts'
import type { Start } from './rights.ts'

/** Concurrent operations, and the state before them. */
export type Scenario = {
  name: string
  /** What was done before, in sequence, and the nodes that each step did not reach. */
  before: readonly { operation: Intent; misses?: readonly number[] }[]
  start: Start
  operations: readonly Intent[]
}

type Beginning = Omit<Scenario, 'operations'>

const desk = { device: 'desk' }
const phone = { device: 'phone' }
const earlier = { device: 'earlier' }
const byFormer = { by: 'former' } as const
const byStranger = { by: 'stranger' } as const
const byRecipient = { by: 'recipient' } as const

const nothing: Beginning = { name: 'nothing saved', before: [], start: { owner: undefined, readers: [] } }
const shared: Beginning = {
  name: 'shared',
  before: [{ operation: make.save(earlier) }, { operation: make.share('recipient', earlier) }],
  start: { owner: 'owner', readers: ['owner', 'recipient'] },
}
const allowed: Beginning = {
  name: 'with conditions',
  before: [...shared.before, { operation: make.allow(earlier) }],
  start: { owner: 'owner', readers: ['owner', 'recipient', 'holder'] },
}
const given: Beginning = {
  name: 'given by its former owner',
  before: [
    { operation: make.save(byFormer) },
    { operation: make.share('recipient', byFormer) },
    { operation: make.transfer('owner', byFormer) },
  ],
  start: { owner: 'owner', readers: ['owner'] },
}
const partlyGiven: Beginning = {
  name: 'given by its former owner, two nodes missed it',
  before: [
    { operation: make.save(byFormer) },
    { operation: make.share('recipient', byFormer) },
    { operation: make.transfer('owner', byFormer), misses: [4, 5] },
  ],
  start: { owner: 'owner', readers: ['owner'] },
}
const partlySaved: Beginning = {
  name: 'shared, two nodes missed all of it',
  before: [
    { operation: make.save(earlier), misses: [4, 5] },
    { operation: make.share('recipient', earlier), misses: [4, 5] },
  ],
  start: { owner: 'owner', readers: ['owner', 'recipient'] },
}
const halfRevoked: Beginning = {
  name: 'shared, a revocation reached two nodes',
  before: [...shared.before, { operation: make.revoke('recipient', earlier), misses: [3, 4, 5] }],
  start: { owner: 'owner', readers: ['owner'], unsure: ['recipient'] },
}
const halfSaved: Beginning = {
  name: 'shared, another key reached two nodes',
  before: [...shared.before, { operation: make.save({ device: 'again' }), misses: [3, 4, 5] }],
  start: shared.start,
}

/** What an owner can do to a file shared with the recipient. */
const ownersOperations = (who: { device: string }): Intent[] => [
  make.save(who),
  make.share('stranger', who),
  make.revoke('recipient', who),
  make.transfer('stranger', who),
  make.retire(who),
  make.allow(who),
  make.repair(who),
]

function* pairs(beginning: Beginning, first: readonly Intent[], second: readonly Intent[]): Generator<Scenario> {
  for (const one of first) {
    for (const other of second)
      yield { ...beginning, name: `${beginning.name}: ${one.name} | ${other.name}`, operations: [one, other] }
  }
}

/** Every scenario, by its name. */
export const scenarios: readonly Scenario[] = [
  ...ownersOperations(desk).flatMap((one, i) => [
    ...pairs(shared, [one], ownersOperations(phone).slice(i)),
    ...pairs(shared, [one], [make.share('recipient', phone), make.transfer('recipient', phone)]),
  ]),
  ...pairs(allowed, [make.disallow(desk)], [make.allow(phone), make.revoke('recipient', phone), make.repair(phone)]),
  ...pairs(
    nothing,
    [make.save(desk)],
    [make.save(phone), make.save(byStranger), make.share('recipient', phone), make.repair(phone)],
  ),
  ...pairs(
    given,
    [make.transfer('stranger', byFormer), make.share('stranger', byFormer), make.repair(byFormer)],
    [make.transfer('recipient', desk), make.revoke('recipient', desk), make.repair(desk)],
  ),
  ...pairs(
    partlyGiven,
    [make.transfer('stranger', byFormer), make.revoke('recipient', byFormer)],
    [make.share('holder', desk), make.repair(desk)],
  ),
  ...pairs(
    shared,
    [make.transfer('recipient', desk)],
    [make.share('stranger', byRecipient), make.transfer('stranger', byRecipient), make.repair(byRecipient)],
  ),
  ...pairs(shared, [make.revoke('recipient', desk)], [make.repair(byRecipient), make.share('recipient', byStranger)]),
  ...pairs(
    shared,
    [make.share('stranger', byStranger), make.transfer('stranger', byStranger), make.save(byStranger)],
    [make.revoke('recipient', desk)],
  ),
  ...pairs(
    partlySaved,
    [make.repair(desk)],
    [make.revoke('recipient', phone), make.share('stranger', phone), make.retire(phone)],
  ),
  ...pairs(halfRevoked, [make.repair(desk)], [make.share('recipient', phone), make.share('stranger', phone)]),
  ...pairs(halfRevoked, [make.revoke('recipient', phone)], [make.repair(byRecipient)]),
  ...pairs(halfSaved, [make.save(desk)], [make.revoke('recipient', phone), make.repair(phone)]),
]
