import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'vite'
import { expect, test } from 'vitest'
import * as english from './en/en.ts'
import { keepTexts } from './keep-texts.fixture.ts'
import { createPlural } from './plural.ts'
import { translatable, translate } from './translatable.ts'

const src = join(import.meta.dirname, '..')

/** Returns where a module reads `messages` outside functions. */
function findEarlyReads(text: string, isTsx: boolean): string[] {
  const found: string[] = []
  const visit = (node: unknown) => {
    if (typeof node !== 'object' || node === null) return
    if ('type' in node && /Function|^ImportDeclaration$|^TS\w+(?:Type|Declaration)/.test(String(node.type))) return
    if ('name' in node && node.name === 'messages' && 'start' in node)
      found.push(text.slice(Number(node.start)).split(/[\s,}]/)[0] ?? '')
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseAst(text, { lang: isTsx ? 'tsx' : 'ts' }).body)
  return found
}

test('reads texts within functions, because first-load modules run before another language is loaded', () => {
  expect(
    findEarlyReads(`import { messages } from 'm'\nconst a = () => messages.b.c\nconst d = messages.b`, false),
  ).toEqual(['messages.b'])
  const modules = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (name) => /\.tsx?$/.test(name) && !/\.test\.ts$|^messages/.test(name),
  )
  expect(modules.length).toBeGreaterThan(400)
  const early = modules.flatMap((name) =>
    findEarlyReads(readFileSync(join(src, name), 'utf8'), name.endsWith('x')).map((read) => `${name}: ${read}`),
  )
  expect(early).toEqual([])
})

test('each part of the English texts can be translated by its name, before and after it is loaded', () => {
  const parts = Object.keys(english)
  expect(parts.length).toBeGreaterThan(30)
  keepTexts()
  translate(Object.fromEntries([...parts, 'later'].map((part) => [part, { translated: part }])))
  for (const [part, texts] of Object.entries(english)) expect(texts).toMatchObject({ translated: part })
  expect(translatable('later', { translated: '', other: 'kept' })).toEqual({ translated: 'later', other: 'kept' })
})

test('counts follow the plural rules of a language, not a comparison with one', () => {
  const { plural, counted } = createPlural<'one'>('en')
  expect([0, 1, 2, 1000].map((count) => counted(count, { one: 'file', other: 'files' }))).toEqual([
    '0 files',
    '1 file',
    '2 files',
    '1,000 files',
  ])
  expect(plural(1, { one: 'has', other: 'have' })).toBe('has')
  const polish = createPlural<'one' | 'few' | 'many'>('pl')
  const forms = { one: 'plik', few: 'pliki', many: 'plików', other: 'pliku' }
  expect([0, 1, 2, 5, 12, 22].map((count) => polish.plural(count, forms))).toEqual([
    'plików',
    'plik',
    'pliki',
    'plików',
    'plików',
    'pliki',
  ])
})
