import { restoreError } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { commands } from './commands.ts'
import { exitCodeOf } from './exit-codes.ts'
import { globalOptions } from './help.ts'
import { splitCommand } from './run.ts'

test.each([
  [['ls', '--json'], 'ls', ['--json']],
  [['--json', 'ls', '-l', '2'], 'ls', ['--json', '-l', '2']],
  [['--network', 'x.json', '-q', 'get', 'cid'], 'get', ['--network', 'x.json', '-q', 'cid']],
  [['--network=x.json', 'ls'], 'ls', ['--network=x.json']],
  [['--help'], '--help', []],
  [['--json', '--version'], '--version', ['--json']],
  [['--nope', 'ls'], '--nope', ['ls']],
  [[], '', []],
  [['--network'], '', ['--network']],
])('the command of %j is %s', (argv, name, rest) => expect(splitCommand(argv)).toEqual({ name, rest }))

test('names are unique, and no option of a command hides a global one', () => {
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases])
  expect(new Set(names).size).toBe(names.length)
  const shorts = Object.values(globalOptions).flatMap((option) => ('short' in option ? [option.short] : []))
  for (const { options = {} } of commands) {
    for (const [long, { short }] of Object.entries(options)) {
      expect(Object.keys(globalOptions)).not.toContain(long)
      if (short !== undefined) expect(shorts).not.toContain(short)
    }
  }
})

test.each([
  ['USAGE', 2],
  ['BLOCK_NOT_FOUND', 3],
  ['API_KEY_REVOKED', 4],
  ['QUOTA_EXCEEDED', 5],
  ['UNAVAILABLE', 6],
  ['CID_MISMATCH', 7],
  ['ABORTED', 130],
  ['FILE_EXISTS', 1],
] as const)('%s ends with %i', (code, exit) => expect(exitCodeOf(restoreError(code))).toBe(exit))

test('an unknown error ends with 1', () => expect(exitCodeOf(new Error('x'))).toBe(1))
