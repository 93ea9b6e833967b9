import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'

const names = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
const concerns = names.filter((name) => !name.endsWith('.browser.ts')).map((name) => name.slice(0, -'.ts'.length))

test('each file for Node has a counterpart for browsers', () => {
  expect(concerns.flatMap((name) => [`${name}.browser.ts`, `${name}.ts`]).toSorted()).toEqual(names.toSorted())
})

test.each(concerns)('both versions of %s export the same names', async (concern) => {
  const [node, browser] = await Promise.all([import(`./${concern}.ts`), import(`./${concern}.browser.ts`)])
  expect(Object.keys(browser).toSorted()).toEqual(Object.keys(node).toSorted())
})
