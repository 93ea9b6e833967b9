import { expect, it } from 'vitest'
import { createRunRooms } from './run-rooms.ts'

it('gives a room again only when all of it was taken and two more runs have begun', () => {
  const rooms = createRunRooms(16)
  const first = rooms.next()
  first.waiting = 2
  const others = [rooms.next(), rooms.next(), rooms.next()]
  for (const room of others) room.waiting = 1
  expect(new Set([first, ...others]).size).toBe(4)
  rooms.letGo(first)
  expect(rooms.next()).not.toBe(first)
  rooms.letGo(first)
  const given: unknown[] = []
  for (let run = 0; run < 3; run++) {
    const room = rooms.next()
    room.waiting = 1
    given.push(room)
  }
  expect(given.slice(0, 2)).not.toContain(first)
  expect(given[2]).toBe(first)
})

it('reads a long file with a handful of rooms', () => {
  const rooms = createRunRooms(16)
  const used = new Set<unknown>()
  let before = rooms.next()
  for (let run = 0; run < 1000; run++) {
    const room = rooms.next()
    used.add(room)
    room.waiting = 4
    while (before.waiting > 0) rooms.letGo(before)
    before = room
  }
  expect(used.size).toBeLessThan(6)
})
