// Bounded exploration of what can happen to the rights of a file; `npm run explore` runs the long ones.
import { beforeAll, describe, expect, test } from 'vitest'
import { createExplorer, type Explorer, isCertain } from './explorer.ts'
import { liarNames } from './liars.ts'
import type { Intent } from './operations.ts'
import * as make from './operations.ts'
import { type Scenario, scenarios } from './scenarios.ts'
import { searchAll } from './search.ts'
import { walkOnce } from './walk.ts'
import type { Bounds } from './world.ts'

/** More than any scenario here has, so that each is visited completely. */
const maxWorlds = 20_000
const noFaults: Bounds = { crashes: 0, faults: 0 }
const walks = Number(process.env['CAIRN_TEST_WALKS'] ?? 1)
const firstSeed = Number(process.env['CAIRN_TEST_SEED'] ?? 1)

let explorer: Explorer
beforeAll(async () => {
  explorer = await createExplorer()
})

function scenarioNamed(name: string): Scenario {
  const found = scenarios.find((scenario) => scenario.name === name)
  if (found === undefined) throw new Error(`there is no scenario "${name}"`)
  return found
}

async function searchWhole(scenario: Scenario, bounds: Bounds, liar?: { node: number; name: string }): Promise<void> {
  const { rules, world } = await explorer.open(scenario, bounds, liar)
  const { breach, isWhole, ends } = await searchAll(rules, world, scenario.start, maxWorlds)
  expect(breach).toBeUndefined()
  expect(isWhole).toBe(true)
  expect(ends).toBeGreaterThan(0)
}

// A save and a repair by the owner make many more calls than the others: all of their orders are for the long runs.
const small = scenarios.filter(({ name }) => !/(save|repair) by owner/.test(name))

test.each(small.map((scenario) => [scenario.name, scenario] as const))('every order of %s', async (_name, scenario) => {
  await searchWhole(scenario, noFaults)
})

const contested = [
  'shared: revoke recipient by owner desk | share recipient by owner phone',
  'shared: transfer stranger by owner desk | transfer recipient by owner phone',
]

describe.each(contested)('%s', (name) => {
  test('at any exit of a node', () => searchWhole(scenarioNamed(name), { crashes: 1, faults: 0 }))
  test('at any lost, late or duplicate request or response', () =>
    searchWhole(scenarioNamed(name), { crashes: 0, faults: 1 }))
  test.each(liarNames)('at a node that %s', (liar) =>
    searchWhole(scenarioNamed(name), noFaults, { node: 3, name: liar }),
  )
})

test(`${walks} random paths through every scenario, with two crashes and two faults`, async () => {
  for (const scenario of scenarios) {
    const { rules, world } = await explorer.open(scenario, { crashes: 2, faults: 2 })
    for (let seed = firstSeed; seed < firstSeed + walks; seed++)
      expect(await walkOnce(rules, world, scenario.start, seed), `${scenario.name}, seed ${seed}`).toBeUndefined()
  }
})

test(`${walks} random paths through every scenario, with a crash, a fault and a liar`, async () => {
  for (const [i, scenario] of scenarios.filter((one) => isCertain(one, 3)).entries()) {
    for (let seed = firstSeed; seed < firstSeed + walks; seed++) {
      const name = liarNames[(i + seed) % liarNames.length] ?? ''
      const { rules, world } = await explorer.open(scenario, { crashes: 1, faults: 1 }, { node: 3, name })
      const breach = await walkOnce(rules, world, scenario.start, seed)
      expect(breach, `${scenario.name}, ${name}, seed ${seed}`).toBeUndefined()
    }
  }
})

describe('finds deliberate bugs:', () => {
  const readers = ['owner', 'recipient'] as const
  const { before, start } = scenarioNamed('shared: retire by owner desk | retire by owner phone')
  const inForce = { isEffective: true, withstands: 2 }
  const claim = (kind: Intent['kind'], whom?: Intent['whom']): Intent => ({
    kind,
    name: `${kind} that does nothing`,
    by: 'owner',
    device: 'desk',
    ...(whom === undefined ? {} : { whom }),
    run: async () => inForce,
  })

  test.each<[string, Intent, string]>([
    ['a revocation that is reported and was not made', claim('revoke', 'recipient'), 'recipient has no right'],
    ['a share that is reported and was not made', claim('share', 'stranger'), 'stranger has a right for certain'],
    ['a transfer that is reported and was not made', claim('transfer', 'stranger'), 'owner has no right'],
  ])('%s', async (_what, operation, expected) => {
    const scenario = { name: 'broken', before, start, operations: [operation] }
    const { rules, world } = await explorer.open(scenario, noFaults)
    const { breach } = await searchAll(rules, world, start, maxWorlds)
    expect(breach?.what).toContain(expected)
  })

  test('a key that is reported as saved but was not', async () => {
    const unsaved = { owner: undefined, readers: [] }
    const { rules, world } = await explorer.open(
      { name: 'broken', before: [], start: unsaved, operations: [claim('save')] },
      noFaults,
    )
    const { breach } = await searchAll(rules, world, unsaved, maxWorlds)
    expect(breach?.what).toContain('owner has a right for certain and gets 0 shards')
  })

  test('rights that were never granted', async () => {
    const nobodys = { owner: 'owner' as const, readers: readers.slice(0, 1) }
    const { rules, world } = await explorer.open(
      { name: 'broken', before, start: nobodys, operations: [make.share('stranger')] },
      noFaults,
    )
    const { breach } = await searchAll(rules, world, nobodys, maxWorlds)
    expect(breach).toEqual({ what: 'recipient has no right and gets 5 shards of one set', trace: [] })
  })
})
