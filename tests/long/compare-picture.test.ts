// The comparison of pictures finds small changes inserted into a real page, and no others.
import type { Locator } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ConsoleTest, openConsoleTest } from '../console/console.fixture.ts'
import { takePicture } from './compare-picture.ts'

let site: ConsoleTest
beforeAll(async () => {
  site = await openConsoleTest()
})
afterAll(() => site?.[Symbol.asyncDispose]())

const looks = {
  'wide and light': {},
  'a phone in the dark': { width: 390, height: 844, theme: 'dark', isPhone: true },
} as const

for (const [look, options] of Object.entries(looks)) {
  test(`finds a moved button, a lost label and a wrong colour, ${look}`, async () => {
    const { page, open } = await site.newPage({ ...options, accounts: 0 })
    await open('/')
    await page.getByRole('heading', { level: 1 }).waitFor()
    const { picture } = await takePicture(page, [])
    const tilesNow = async () => (await takePicture(page, [], picture)).tiles
    const button = page.getByRole('main').getByRole('button', { name: 'Connect wallet' })
    const label = page.getByText('Every account starts with free storage.', { exact: true })
    /** Changes one style of one element, counts the tiles that differ, and changes it back. */
    const plant = async (where: Locator, style: string, value: string) => {
      expect(await where.count()).toBe(1)
      const set = (text: string) =>
        where.evaluate(
          (element, [name, now]) => Reflect.set(Reflect.get(element, 'style'), name ?? '', now),
          [style, text],
        )
      await set(value)
      const tiles = await tilesNow()
      await set('')
      expect([style, tiles, await tilesNow()]).toEqual([style, expect.any(Number), 0])
      return tiles
    }
    expect(await tilesNow()).toBe(0)
    expect(await plant(button, 'translate', '8px 0')).toBeGreaterThan(0)
    expect(await plant(label, 'visibility', 'hidden')).toBeGreaterThan(0)
    expect(await plant(button, 'background', '#2e7d32')).toBeGreaterThan(0)
  })
}
