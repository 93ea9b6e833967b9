import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { readEnvironment } from './environment.ts'

test('uses the home folder for secrets and defaults for the rest when nothing is set', () => {
  expect(readEnvironment({})).toEqual({
    configFolder: join(homedir(), '.config', 'cairn'),
    apiKey: undefined,
    passwordFile: undefined,
    noColor: false,
    imports: { lighthouseKey: undefined, pinataJwt: undefined, pinningToken: undefined, s3Endpoint: undefined },
  })
})

test('prefers its own variable for the folder of secrets to that of the desktop', () => {
  expect(readEnvironment({ XDG_CONFIG_HOME: '/x' }).configFolder).toBe(resolve('/x/cairn'))
  expect(readEnvironment({ XDG_CONFIG_HOME: '/x', CAIRN_CONFIG_HOME: '/c' }).configFolder).toBe(resolve('/c'))
  expect(readEnvironment({ CAIRN_CONFIG_HOME: 'here' }).configFolder).toBe(resolve('here'))
})

test('reads every variable', () => {
  expect(readEnvironment({ CAIRN_API_KEY: 'k', CAIRN_PASSWORD_FILE: 'p' })).toMatchObject({
    apiKey: 'k',
    passwordFile: 'p',
  })
  const imports = { LIGHTHOUSE_API_KEY: 'l', PINATA_JWT: 'p', PINNING_SERVICE_TOKEN: 't', AWS_ENDPOINT_URL: 'e' }
  expect(readEnvironment(imports).imports).toEqual({
    lighthouseKey: 'l',
    pinataJwt: 'p',
    pinningToken: 't',
    s3Endpoint: 'e',
  })
})

test('treats an empty variable as not set', () => {
  const names = ['XDG_CONFIG_HOME', 'CAIRN_CONFIG_HOME', 'CAIRN_API_KEY', 'NO_COLOR']
  expect(readEnvironment(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readEnvironment({}))
})

test.each([[{ NO_COLOR: '1' }], [{ TERM: 'dumb' }]])('%j turns colours off', (env) =>
  expect(readEnvironment(env).noColor).toBe(true),
)
