import { expect, test } from 'vitest'
import { createEntriesByAsker } from './entries-by-asker.ts'

test('the requester with the most entries loses its oldest one, as a search of all would find', () => {
  const entries = createEntriesByAsker<number>()
  const all = new Map<string, number[]>()
  // A fixed sequence, so that a failure repeats.
  let state = 1
  const below = (limit: number) => {
    state = (state * 48_271) % 2_147_483_647
    return state % limit
  }
  const remove = (asker: string, entry: number) => {
    entries.remove(asker, entry)
    all.set(
      asker,
      (all.get(asker) ?? []).filter((one) => one !== entry),
    )
  }
  for (let turn = 0; turn < 300; turn++) {
    const asker = `asker ${below(7)}`
    const own = all.get(asker) ?? []
    const some = own[below(own.length + 1)]
    if (below(5) < 3) {
      entries.add(asker, turn)
      all.set(asker, [...own, turn])
    } else if (some !== undefined) remove(asker, some)
    const largest = Math.max(...[...all.values()].map(({ length }) => length))
    const heaviest = [...all.values()].filter(({ length }) => length === largest)
    expect(heaviest.map(([oldest]) => oldest)).toContain(entries.oldestOfHeaviest())
  }
  for (const [asker, own] of all) for (const entry of own) remove(asker, entry)
  expect(entries.oldestOfHeaviest()).toBeUndefined()
})
