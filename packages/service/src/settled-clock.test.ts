import { expect, test } from 'vitest'
import { createSettledClock } from './settled-clock.ts'

const hour = 3_600_000
const day = 24 * hour
const start = Date.UTC(2026, 10, 30)

/** A machine whose clock can be set, asked every five minutes as workers do. */
function openMachine() {
  let elapsed = 5_000
  let ahead = 0
  const settled = createSettledClock({ now: () => start + elapsed + ahead }, () => elapsed)
  return {
    set: (ms: number) => {
      ahead += ms
    },
    run(ms: number) {
      for (const end = elapsed + ms; elapsed < end; elapsed += hour / 12) settled.now()
      return settled.now()
    },
    right: () => start + elapsed,
  }
}

test('counts nothing in the first hour of a process', () => {
  const machine = openMachine()
  expect(machine.run(hour - 1)).toBe(machine.right())
  expect(openMachine().run(hour / 2)).toBeUndefined()
})

test('ignores a clock that is set ahead for less than a day', () => {
  const machine = openMachine()
  machine.run(3 * day)
  machine.set(30 * day)
  expect(machine.run(day - hour)).toBe(machine.right())
  machine.set(-30 * day)
  expect(machine.run(2 * day)).toBe(machine.right())
})

test('follows a clock that stays ahead for a day, and one that is set back at once', () => {
  const machine = openMachine()
  machine.run(3 * day)
  machine.set(30 * day)
  expect(machine.run(day + hour)).toBe(machine.right() + 30 * day)
  machine.set(-30 * day - hour)
  expect(machine.run(0)).toBe(machine.right() - hour)
})

test('ignores a clock that is ahead at the first question for days', () => {
  let elapsed = 0
  let ahead = 0
  const settled = createSettledClock({ now: () => start + elapsed + ahead }, () => elapsed)
  settled.now()
  elapsed += 5 * day
  ahead = 30 * day
  expect(settled.now()).toBe(start + elapsed)
})

test('follows a clock that trembles', () => {
  let elapsed = 0
  const settled = createSettledClock({ now: () => start + elapsed + (elapsed % 7) }, () => elapsed)
  for (; elapsed < 3 * day; elapsed += hour / 12 + 1) settled.now()
  expect(settled.now()).toBe(start + elapsed)
})
