import { expect, test } from 'vitest'
import { type Parts, readHealth } from './health.ts'

const part = (isUp = true) => ({
  id: 'one',
  label: 'One',
  url: 'http://127.0.0.1',
  facts: [],
  ...(isUp ? {} : { failure: 'no answer' }),
})
const parts = (change: Partial<Parts> = {}): Parts => ({
  storage: part(),
  gateway: part(),
  chains: [part()],
  keyNodes: Array.from({ length: 5 }, () => part()),
  providers: [part(), part()],
  ...change,
})
const nodes = (up: number) => Array.from({ length: 5 }, (_, index) => part(index < up))

test('all parts answer', () => {
  expect(readHealth(parts())).toEqual({ health: 'good', losses: [], keyNodesUp: 5 })
  expect(readHealth(parts({ keyNodes: [], chains: [], providers: [] })).health).toBe('good')
})

test('three key nodes are enough to read, but not to change', () => {
  expect(readHealth(parts({ keyNodes: nodes(4) }))).toMatchObject({ health: 'degraded', losses: ['keysRead'] })
  expect(readHealth(parts({ keyNodes: nodes(3) })).health).toBe('degraded')
  expect(readHealth(parts({ keyNodes: nodes(2) }))).toMatchObject({ health: 'down', losses: ['keysDown'] })
})

test('orders lost functions by severity', () => {
  const all = parts({
    storage: part(false),
    gateway: part(false),
    chains: [part(false)],
    keyNodes: nodes(0),
    providers: [part(false)],
  })
  expect(readHealth(all).losses).toEqual(['storage', 'gateway', 'keysDown', 'chain', 'providers'])
  expect(readHealth(parts({ chains: [part(), part(false)] }))).toMatchObject({ health: 'degraded', losses: ['chain'] })
  expect(readHealth(parts({ providers: [part(false)] })).health).toBe('degraded')
})
