import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readEnvironment } from './environment.ts'

test('with nothing set, secrets lie in the home folder and all else is found out later', () => {
  expect(readEnvironment({})).toEqual({
    configFolder: join(homedir(), '.config', 'cairn'),
    apiKey: undefined,
    passwordFile: undefined,
    noColor: false,
  })
})

test('the folder of secrets: our own name goes before that of the desktop', () => {
  expect(readEnvironment({ XDG_CONFIG_HOME: '/x' }).configFolder).toBe(resolve('/x/cairn'))
  expect(readEnvironment({ XDG_CONFIG_HOME: '/x', CAIRN_CONFIG_HOME: '/c' }).configFolder).toBe(resolve('/c'))
  expect(readEnvironment({ CAIRN_CONFIG_HOME: 'here' }).configFolder).toBe(resolve('here'))
})

test('every name is taken', () => {
  expect(readEnvironment({ CAIRN_API_KEY: 'k', CAIRN_PASSWORD_FILE: 'p' })).toMatchObject({
    apiKey: 'k',
    passwordFile: 'p',
  })
})

test('a name that is set to nothing counts as not set', () => {
  const names = ['XDG_CONFIG_HOME', 'CAIRN_CONFIG_HOME', 'CAIRN_API_KEY', 'NO_COLOR']
  expect(readEnvironment(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readEnvironment({}))
})

test.each([[{ NO_COLOR: '1' }], [{ TERM: 'dumb' }]])('%j means no colours', (env) =>
  expect(readEnvironment(env).noColor).toBe(true),
)
