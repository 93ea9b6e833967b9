// What the explorer found in the product, one test each: the shortest path to it, and what must hold after a repair.
import { beforeAll, expect, test } from 'vitest'
import { findBadEnd, finish } from './ends.ts'
import { createExplorer, type Explorer } from './explorer.ts'
import type { Intent } from './operations.ts'
import * as make from './operations.ts'
import { nodeNumbers, type Party, parties } from './parties.ts'
import { countShards } from './rights.ts'
import type { Scenario } from './scenarios.ts'
import { type Rules, stateAt } from './world.ts'

let explorer: Explorer
beforeAll(async () => {
  explorer = await createExplorer()
})

const aMinuteMs = 60_000
const again = { device: 'again' }
const shared: Scenario['before'] = [{ operation: make.save() }, { operation: make.share('recipient') }]

async function open(
  before: Scenario['before'],
  liar?: { node: number; name: string },
): Promise<{ rules: Rules; nodes: readonly number[] }> {
  const scenario = { name: 'finding', before, start: { owner: undefined, readers: [] }, operations: [] }
  const { rules, world } = await explorer.open(scenario, { crashes: 0, faults: 0 }, liar)
  return { rules, nodes: world.nodes }
}

/** Makes a party repair the file, a minute later. */
async function repairedBy(by: Party, before: Scenario['before'], liar?: { node: number; name: string }) {
  const { rules, nodes } = await open(before, liar)
  const repaired = await finish(rules, nodes, make.repair({ by, device: 'later' }), { laterMs: aMinuteMs })
  const states = await Promise.all(
    nodeNumbers.map((node) => rules.nodes.stateOf(stateAt({ nodes: repaired.nodes }, node))),
  )
  const rights = states.map((state) =>
    state === 'nothing' ? state : `${state.owner} ${state.sharedTo.join()} ${state.state === 'retired'} ${state.setId}`,
  )
  const readers: Party[] = []
  for (const party of Object.keys(parties) as Party[])
    if ((await countShards(rules, { nodes: repaired.nodes }, party)) >= 3) readers.push(party)
  const report = repaired.outcome.kind === 'done' ? repaired.outcome.value : undefined
  const { after, changes }: { after?: { health: string }; changes?: { kind: string; outcome: string }[] } =
    Object(report)
  return {
    outcome: repaired.outcome,
    isWhole: new Set(rights).size === 1 && after?.health === 'whole',
    changes: changes?.map(({ kind, outcome }) => `${kind}: ${outcome}`),
    readers,
  }
}

/** Runs an operation without any other event. */
async function outcomeOf(
  before: Scenario['before'],
  operation: Intent,
  misses: readonly number[] = [],
  liar?: { node: number; name: string },
) {
  const { rules, nodes } = await open(before, liar)
  return (await finish(rules, nodes, operation, { misses })).outcome
}

test('1: a revocation that reached two nodes stayed half done forever; a repair reports and completes it', async () => {
  const before = [...shared, { operation: make.revoke('recipient'), misses: [3, 4, 5] }]
  expect(await repairedBy('owner', before)).toMatchObject({
    isWhole: true,
    changes: ['revoke: finished'],
    readers: ['owner'],
  })
})

test('2: a change that reached one or two nodes could neither be completed nor undone by a repair; it is withdrawn', async () => {
  for (const operation of [make.transfer('stranger'), make.share('stranger'), make.retire(), make.allow()]) {
    for (const misses of [
      [2, 3, 4, 5],
      [3, 4, 5],
    ]) {
      const found = await repairedBy('owner', [...shared, { operation, misses }])
      expect(found, operation.name).toMatchObject({ isWhole: true, readers: ['owner', 'recipient'] })
      expect(found.changes, operation.name).toEqual([expect.stringMatching(/: taken back$/)])
    }
  }
})

test('3: a key pending beside the one in force was reported as saved', async () => {
  // Of the three nodes that received it, one lies: two have it, and the previous one stays in force.
  const liar = { node: 3, name: 'clings to what was' }
  expect(await outcomeOf([{ operation: make.save() }], make.save(again), [4, 5], liar)).toMatchObject({
    kind: 'failed',
    code: 'CHANGE_INCOMPLETE',
  })
  expect(await outcomeOf([{ operation: make.save() }], make.save(again))).toMatchObject({
    kind: 'done',
    value: { isEffective: true, done: [1, 2, 3, 4, 5] },
  })
})

test('4: a retired key was transferred to another owner', async () => {
  const before = [...shared, { operation: make.retire() }]
  for (const operation of [make.transfer('stranger'), make.share('stranger'), make.allow()])
    expect(await outcomeOf(before, operation), operation.name).toMatchObject({ kind: 'failed', code: 'KEY_RETIRED' })
})

test('5: without agreement of three nodes, a repair changed nothing', async () => {
  const before = [
    ...shared,
    { operation: make.share('stranger'), misses: [3, 4, 5] },
    { operation: make.allow(), misses: [1, 2, 3] },
  ]
  expect(await repairedBy('owner', before)).toMatchObject({ isWhole: true, readers: ['owner', 'recipient'] })
})

test('6: a node that a stranger reached first locked out the owner for a day', async () => {
  const before = [
    { operation: make.save({ by: 'stranger' }), misses: [1, 2, 3, 4] },
    { operation: make.save(), misses: [5] },
  ]
  expect(await repairedBy('owner', before)).toMatchObject({ isWhole: true, readers: ['owner'] })
})

test('7: a change on three nodes was reported as one that no lie undoes', async () => {
  const before = [...shared]
  for (const [misses, withstands] of [
    [[4, 5], 0],
    [[5], 1],
    [[], 2],
  ] as const)
    expect(await outcomeOf(before, make.revoke('recipient'), misses)).toMatchObject({
      value: { isEffective: true, withstands },
    })
})

test('8: a transfer that overtook another key left three nodes of one owner with two keys in force', async () => {
  const before = [
    ...shared,
    { operation: make.save(again), misses: [1, 2] },
    { operation: make.transfer('stranger'), misses: [2, 5] },
  ]
  const { isWhole, readers } = await repairedBy('stranger', before)
  expect({ isWhole, readers }).toEqual({ isWhole: true, readers: ['stranger'] })
})

test('9: a liar that echoed each node separated two of four from the others forever', async () => {
  const before = [...shared, { operation: make.allow(), misses: [1, 2, 3] }, { operation: make.transfer('stranger') }]
  const liar = { node: 3, name: 'agrees with every caller' }
  expect(await repairedBy('stranger', before, liar)).toMatchObject({ isWhole: true, readers: ['stranger'] })
})

test('known limit: when one of only three nodes with a file is retired, a repair leaves it, and the owner settles it', async () => {
  const misses = [4, 5]
  const before = [
    { operation: make.save(), misses },
    { operation: make.share('recipient'), misses },
    { operation: make.retire(), misses: [1, 3, 4, 5] },
  ]
  const left = await repairedBy('owner', before)
  expect(left).toMatchObject({ isWhole: false, readers: ['owner'] })
  expect(left.changes).toContain('retire: left')
  const saved = await repairedBy('owner', [...before, { operation: make.save(again) }])
  expect(saved).toMatchObject({ isWhole: true, readers: expect.arrayContaining(['owner']) })
  const retired = await repairedBy('owner', [...before, { operation: make.retire(again), misses }])
  expect(retired).toMatchObject({ readers: ['owner'], changes: [expect.stringContaining('save: ')] })
})

test('a complete state stays unchanged', async () => {
  const { rules, world } = await explorer.open(
    { name: 'whole', before: shared, start: { owner: 'owner', readers: ['owner', 'recipient'] }, operations: [] },
    { crashes: 0, faults: 0 },
  )
  expect(await findBadEnd(rules, world, { owner: 'owner', readers: ['owner', 'recipient'] }, new Set())).toBeUndefined()
})
