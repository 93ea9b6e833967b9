import { connect } from 'node:net'
import { CairnError } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { createLogGate } from './log-gate.ts'
import { levels, openLog } from './log-lines.fixture.ts'

function open() {
  const clock = { time: 1_000_000, now: () => clock.time }
  const { log, lines } = openLog()
  return { clock, lines, gate: createLogGate({ clock, log }) }
}
const away = new CairnError('UPSTREAM_FAILED', { message: 'It is away' })

test('logs a persistent failure immediately, then once per minute with the number of omitted lines', () => {
  const { clock, lines, gate } = open()
  for (let second = 0; second <= 120; second++) {
    gate.failed('it', away, 'it failed', { part: 'a' })
    clock.time += 1_000
  }
  expect(lines()).toMatchObject([
    { level: levels.warn, msg: 'it failed', part: 'a', reason: 'UPSTREAM_FAILED: It is away' },
    { level: levels.warn, leftOut: 59 },
    { level: levels.warn, leftOut: 59 },
  ])
  expect(lines()[0]).not.toHaveProperty('leftOut')
})

test('logs a recovery once; a flapping part adds no lines', () => {
  const { clock, lines, gate } = open()
  gate.recovered('it', 'it works')
  expect(lines()).toEqual([])
  for (let turn = 0; turn < 30; turn++) {
    gate.failed('it', away, 'it failed')
    gate.recovered('it', 'it works')
    clock.time += 1_000
  }
  expect(lines().map(({ msg }) => msg)).toEqual(['it failed', 'it works'])
  clock.time += 60_000
  gate.failed('it', away, 'it failed')
  expect(lines().at(-1)).toMatchObject({ msg: 'it failed', leftOut: 29 })
})

test('each key has its own lines, and a clock that is set back suppresses none', () => {
  const { clock, lines, gate } = open()
  gate.failed('one', away, 'it failed', { name: 'one' })
  gate.failed('two', away, 'it failed', { name: 'two' })
  clock.time -= 3_600_000
  gate.failed('one', away, 'it failed', { name: 'one' })
  expect(lines().map(({ name }) => name)).toEqual(['one', 'two', 'one'])
})

test('logs an expected failure with its system code, without stack and host', async () => {
  const { lines, gate } = open()
  const refused = await new Promise<Error>((resolve) => connect(9, '127.0.0.1').on('error', resolve))
  const fetched = new TypeError('fetch failed', { cause: refused })
  gate.failed('ours', new CairnError('UPSTREAM_FAILED', { message: 'It is away', cause: fetched }), 'it failed')
  const timeout = new DOMException('The operation timed out', 'TimeoutError')
  gate.failed('slow', new CairnError('UPSTREAM_FAILED', { message: 'It is away', cause: timeout }), 'it failed')
  gate.failed('system', refused, 'it failed')
  gate.failed('unforeseen', new TypeError('x is not a function'), 'it failed')
  gate.failed('inside', new CairnError('INTERNAL', { cause: new Error('what') }), 'it failed')
  const [ours, slow, system, unforeseen, inside] = lines()
  expect(ours).toMatchObject({ reason: 'UPSTREAM_FAILED: It is away (ECONNREFUSED)' })
  expect(slow).toMatchObject({ reason: 'UPSTREAM_FAILED: It is away (timed out)' })
  expect(system).toMatchObject({ level: levels.warn, reason: expect.stringMatching(/^ECONNREFUSED: /) })
  expect(JSON.stringify([ours, slow, system])).not.toContain('stack')
  expect(JSON.stringify(ours)).not.toContain('127.0.0.1')
  expect(unforeseen).toMatchObject({ level: levels.error, err: { stack: expect.stringContaining('log-gate.test') } })
  expect(inside).toMatchObject({ level: levels.error, err: { stack: expect.any(String) } })
})
