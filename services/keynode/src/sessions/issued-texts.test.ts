import { keyChallengeLifetimeMs, keySaveLifetimeMs, maxKeyTexts, maxKeyTextsAtOnce } from '@cairn/protocol'
import { describe, expect, test, vi } from 'vitest'
import { createIssuedTexts } from './issued-texts.ts'

const minute = 60_000
const write = async ({ id }: { id: string }) => `text ${id}`
const idOf = (text: string) => text.slice('text '.length)

function startTexts(options: { maxOpen?: number } = {}) {
  const clock = { ms: 1_000_000, now: () => clock.ms }
  return { clock, texts: createIssuedTexts(clock, options) }
}

describe('texts to sign', () => {
  test('stay open for their lifetime, however many others are requested for the same address', async () => {
    const { clock, texts } = startTexts()
    const mine = await texts.issue('a', '10.0.0.1', write)
    const open = new Set<string>([mine])
    for (let passed = 0; passed < keySaveLifetimeMs; passed += minute) {
      expect(texts.of('a', keySaveLifetimeMs)).toContain(mine)
      for (let turn = 0; turn < 20; turn++) open.add(await texts.issue('a', `10.0.1.${turn}`, write))
      clock.ms += minute
      expect(texts.of('a', keySaveLifetimeMs).length).toBeLessThanOrEqual(maxKeyTexts)
    }
    clock.ms += 1
    expect(texts.of('a', keySaveLifetimeMs)).not.toContain(mine)
    expect(open.size).toBeLessThanOrEqual(maxKeyTexts)
  })

  test('that are reissued are young enough to upload for two hours, and rotate', async () => {
    const { clock, texts } = startTexts()
    for (let turn = 0; turn < 100; turn++) await texts.issue('a', '10.0.0.1', write)
    const again = await Promise.all(
      Array.from({ length: maxKeyTextsAtOnce }, () => texts.issue('a', '10.0.0.2', write)),
    )
    expect(new Set(again).size).toBe(maxKeyTextsAtOnce)
    clock.ms += 14 * minute
    const given = await texts.issue('a', '10.0.0.2', write)
    clock.ms += 120 * minute
    expect(texts.of('a', keySaveLifetimeMs)).toContain(given)
    expect(texts.of('a', keyChallengeLifetimeMs)).toEqual([])
  })

  test('that were used free their slot, and are remembered for another minute', async () => {
    const { clock, texts } = startTexts()
    for (let turn = 0; turn < 50; turn++) {
      const text = await texts.issue('a', '10.0.0.1', write)
      texts.spend('a', idOf(text))
      expect(texts.of('a', keySaveLifetimeMs)).toContain(text)
      expect(await texts.issue('a', '10.0.0.1', write)).not.toBe(text)
      clock.ms += 2 * minute
      expect(texts.of('a', keySaveLifetimeMs)).not.toContain(text)
      clock.ms += 4 * minute
    }
  })

  test('that cannot be written leave nothing', async () => {
    const { texts } = startTexts()
    for (let turn = 0; turn < 20; turn++)
      await expect(texts.issue('a', '10.0.0.1', async () => Promise.reject(new Error('no nodes')))).rejects.toThrow()
    expect(texts.of('a', keySaveLifetimeMs)).toEqual([])
    expect(await texts.issue('a', '10.0.0.1', write)).toMatch(/^text /)
  })

  test('of a flood for many addresses evict only each other', async () => {
    const { texts } = startTexts({ maxOpen: 100 })
    const mine = await texts.issue('a', '10.0.0.1', write)
    for (let turn = 0; turn < 1000; turn++) await texts.issue(`b${turn}`, '2001:db8::1:2', write)
    for (let turn = 0; turn < 1000; turn++) await texts.issue(`c${turn}`, `2001:db8:0:0:${turn.toString(16)}::`, write)
    expect(texts.of('a', keySaveLifetimeMs)).toEqual([mine])
    expect(texts.of('c0', keySaveLifetimeMs)).toEqual([])
    expect(texts.of('c999', keySaveLifetimeMs)).toHaveLength(1)
  })

  test('beyond the maximum cost no scan of all the others', async () => {
    const { texts } = startTexts({ maxOpen: 1000 })
    const addAt = async (turn: number) => texts.issue(`a${turn}`, `2001:db8:0:${turn.toString(16)}::`, write)
    for (let turn = 0; turn < 1000; turn++) await addAt(turn)
    const looks = [vi.spyOn(Map.prototype, 'values'), vi.spyOn(Map.prototype, 'entries')]
    try {
      for (let turn = 1000; turn < 1100; turn++) await addAt(turn)
      expect(looks.flatMap(({ mock }) => mock.contexts).filter((map) => map instanceof Map && map.size > 900)).toEqual(
        [],
      )
    } finally {
      for (const look of looks) look.mockRestore()
    }
    expect(texts.of('a99', keySaveLifetimeMs)).toEqual([])
    expect(texts.of('a100', keySaveLifetimeMs)).toHaveLength(1)
  })
})
