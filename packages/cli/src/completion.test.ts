import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { commands } from './commands.ts'
import { completionScript } from './completion.ts'
import { globalOptions } from './help.ts'

const folder = resolve(import.meta.dirname, '..')

/** Returns what bash offers in the folder of this package for a line with an incomplete last word. */
function complete(words: string[]): string[] {
  const script = `${completionScript('bash', commands, globalOptions)}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _cairn; printf '%s\\n' "\${COMPREPLY[@]}"`
  return spawnSync('bash', ['-c', script], { cwd: folder, encoding: 'utf8' }).stdout.trim().split('\n')
}

test.each(['bash', 'zsh'])('the script for %s is well formed', (shell) => {
  const { status, stderr } = spawnSync('bash', ['-n'], {
    input: completionScript(shell, commands, globalOptions),
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

test('bash completes commands, their words and their options', () => {
  expect(complete(['cairn', 'up'])).toEqual(['upload', 'upload-link'])
  expect(complete(['cairn', 'wallet', 'ex'])).toEqual(['export'])
  expect(complete(['cairn', 'upload', '--cid'])).toEqual(['--cid-version'])
  expect(complete(['cairn', 'mv', '--js'])).toEqual(['--json'])
})

test('bash completes the values of options, files for file options, and skips options before the command', () => {
  expect(complete(['cairn', 'pay', '--coin', ''])).toEqual(['native', 'usdc', 'usdt', 'dai'])
  expect(complete(['cairn', 'pay', '--coin', 'us'])).toEqual(['usdc', 'usdt'])
  expect(complete(['cairn', 'upload', '--format', ''])).toEqual(['v1', 'v2'])
  expect(complete(['cairn', 'name', 'export', 'x', '--format', 'l'])).toEqual(['libp2p'])
  expect(complete(['cairn', 'api-key', 'new', '--scope', 'files:'])).toEqual(['files:read', 'files:write'])
  expect(complete(['cairn', 'upload', '--name', ''])).toEqual([''])
  expect(complete(['cairn', 'get', 'x', '-o', 'package.js'])).toEqual(['package.json'])
  expect(complete(['cairn', '--json', 'wallet', 'ex'])).toEqual(['export'])
  expect(complete(['cairn', '--network', 'pay', 'pa'])).toEqual(['pay', 'payments'])
  expect(complete(['cairn', '--js'])).toEqual(['--json'])
})

test('fish has one quoted line per command and option', () => {
  const script = completionScript('fish', commands, globalOptions)
  for (const { name, aliases = [], options = {} } of commands) {
    for (const word of [name, ...aliases]) expect(script).toContain(`-a ${word} -d '`)
    for (const option of Object.keys(options)) expect(script).toContain(`-l ${option}`)
  }
  expect(script).toContain("-l coin -x -a 'native usdc usdt dai'")
  for (const line of script.split('\n'))
    expect(line.match(/(?<!\\)'/g)?.length ?? 0).toSatisfy((n: number) => n % 2 === 0)
})

test('rejects another shell', () => {
  expect(() => completionScript('tcsh', commands, globalOptions)).toThrow(expect.objectContaining({ code: 'USAGE' }))
})
