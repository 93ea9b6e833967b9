// Every command and option in a text must exist: in the table of errors, the command line and the SDK.
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { errorTable } from '@cairn/protocol'
import { expect, test } from 'vitest'
import { commands } from '../../packages/cli/src/commands.ts'
import { globalOptions } from '../../packages/cli/src/help.ts'

const packages = resolve(import.meta.dirname, '../../packages')

type Text = { where: string; text: string }

/** Lines of sources without comments: their texts are quoted. */
function linesOf(folder: string): Text[] {
  return readdirSync(join(packages, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.(test|fixture|suite)\.ts$/.test(path))
    .flatMap((path) =>
      readFileSync(join(packages, folder, path), 'utf8')
        .split('\n')
        .map((text, i) => ({ where: `${folder}/${path}:${i + 1}`, text: text.replace(/\s*\/\/ .*$/, '') }))
        .filter(({ text }) => !/^\s*(\/?\*|import |export .* from )/.test(text)),
    )
}

const texts: Text[] = [
  ...Object.entries(errorTable).flatMap(([code, { message, hint }]) =>
    [message, hint].map((text) => ({ where: code, text })),
  ),
  ...linesOf('cli/src'),
  ...linesOf('sdk/src'),
]

/** The words after `cairn` in prose. */
const prose = ['itself', 'command']

test('each command in a text exists, with the action and the options beside it', () => {
  let named = 0
  for (const { where, text } of texts) {
    for (const [shown, name = '', rest = ''] of text.matchAll(/\bcairn ([a-z][a-z0-9-]*)((?: [^.;,`'"<(|…]*)?)/g)) {
      if (prose.includes(name) || name === 'help') continue
      const command = commands.find((one) => one.name === name || one.aliases?.includes(name))
      expect(command, `${where}: ${shown}`).toBeDefined()
      if (command === undefined) continue
      named++
      const [, action] = /^ ([a-z][a-z-]+)/.exec(rest) ?? []
      if (command.words !== undefined && action !== undefined && !['for', 'on', 'explains'].includes(action))
        expect(command.words, `${where}: ${shown}`).toContain(action)
      const options = { ...command.options, ...globalOptions }
      for (const [, option = ''] of rest.matchAll(/--([a-z][a-z-]*)/g))
        expect(Object.keys(options), `${where}: ${shown}`).toContain(option)
    }
  }
  expect(named).toBeGreaterThan(40)
})

test('each option in a text belongs to a command', () => {
  const known = new Set(
    [globalOptions, ...commands.map(({ options = {} }) => options)].flatMap((options) => Object.keys(options)),
  )
  known.add('version')
  for (const { where, text } of texts) {
    if (where.includes('completion.ts')) continue
    for (const [, option = ''] of text.matchAll(/(?<![\w-])--([a-z][a-z-]+)/g))
      expect([...known], `${where}: ${text.trim()}`).toContain(option)
  }
})
