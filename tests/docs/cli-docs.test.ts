import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { commands } from '../../packages/cli/src/commands.ts'
import { exitCodes } from '../../packages/cli/src/exit-codes.ts'
import { globalOptions } from '../../packages/cli/src/help.ts'
import { readConfig } from '../../services/storage/src/config.ts'

const page = readFileSync(new URL('../../docs/how-to/cli.md', import.meta.url), 'utf8')

test.each(commands.map((command) => [command.name, command] as const))(
  'the page names %s, its options and its words',
  (name, command) => {
    const row = page.split('\n').find((line) => line.startsWith(`| \`cairn ${name}`)) ?? ''
    expect(row).not.toBe('')
    for (const option of Object.keys(command.options ?? {})) expect(row).toContain(`--${option}`)
    for (const word of command.words ?? []) expect(row).toContain(word)
  },
)

test('the page lists what every command accepts, and each exit code', () => {
  for (const option of Object.keys(globalOptions)) expect(page).toContain(`--${option}`)
  for (const code of Object.values(exitCodes)) expect(page).toContain(`| ${code} |`)
})

test('a service does not report variables of the command line as unknown settings', () => {
  const files = ['cli/src/environment.ts', 'sdk/src/platform/find-network.ts']
  const sources = files.map((path) => readFileSync(new URL(`../../packages/${path}`, import.meta.url), 'utf8'))
  const names = new Set(sources.join('').match(/\bCAIRN_[A-Z_]+\b/g))
  for (const name of ['CAIRN_API_KEY', 'CAIRN_NETWORK']) expect(names).toContain(name)
  for (const name of names) {
    expect(page).toContain(name)
    expect(() => readConfig({ [name]: 'x' })).not.toThrow()
  }
})
