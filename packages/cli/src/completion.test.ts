import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { commands } from './commands.ts'
import { completionScript } from './completion.ts'

const globals = ['json', 'quiet']

/** What bash offers for a line whose last word is being typed. */
function complete(words: string[]): string[] {
  const script = `${completionScript('bash', commands, globals)}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _cairn; printf '%s\\n' "\${COMPREPLY[@]}"`
  return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim().split('\n')
}

test.each(['bash', 'zsh'])('the script for %s is well formed', (shell) => {
  const { status, stderr } = spawnSync('bash', ['-n'], {
    input: completionScript(shell, commands, globals),
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
})

test('bash offers commands, their words and their options', () => {
  expect(complete(['cairn', 'up'])).toEqual(['upload'])
  expect(complete(['cairn', 'wallet', 'ex'])).toEqual(['export'])
  expect(complete(['cairn', 'upload', '--cid'])).toEqual(['--cid-version'])
  expect(complete(['cairn', 'mv', '--js'])).toEqual(['--json'])
})

test('fish gets a line for each command and option, quoted', () => {
  const script = completionScript('fish', commands, globals)
  for (const { name, aliases = [], options = {} } of commands) {
    for (const word of [name, ...aliases]) expect(script).toContain(`-a ${word} -d '`)
    for (const option of Object.keys(options)) expect(script).toContain(`-l ${option}`)
  }
  for (const line of script.split('\n'))
    expect(line.match(/(?<!\\)'/g)?.length ?? 0).toSatisfy((n: number) => n % 2 === 0)
})

test('another shell is refused', () => {
  expect(() => completionScript('tcsh', commands, globals)).toThrow(expect.objectContaining({ code: 'USAGE' }))
})
