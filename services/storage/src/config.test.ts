import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig, settings } from './config.ts'

const problems = (environment: Record<string, string>): unknown => {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    expect(error).toMatchObject({ code: 'INVALID_CONFIGURATION' })
    return error instanceof Error && 'details' in error ? error.details : undefined
  }
}

test('nothing has to be set', () => {
  const config = readConfig({ PATH: '/bin' })
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, gatewayPort: 8081, database: { kind: 'sqlite' } })
  expect(Object.isFrozen(config)).toBe(true)
})

test('the offset is added to the default ports alone', () => {
  expect(readConfig({ CAIRN_PORT_OFFSET: '100' })).toMatchObject({ port: 8180, gatewayPort: 8181 })
  expect(readConfig({ CAIRN_PORT_OFFSET: '100', CAIRN_PORT: '80' })).toMatchObject({ port: 80, gatewayPort: 8181 })
})

test('every wrong setting is named at once, unknown ones too', () => {
  expect(problems({ CAIRN_PORT: 'eighty', CAIRN_LOG_LEVEL: 'loud', CAIRN_FREE_BITES: '1', HOME: '/' })).toEqual({
    problems: [
      expect.stringMatching(/^CAIRN_PORT must be a whole number/),
      expect.stringMatching(/^CAIRN_LOG_LEVEL must be one of/),
      'CAIRN_FREE_BITES is not a setting',
    ],
  })
})

test('wallets on other devices need a project, and a relay that can be spoken to', () => {
  expect(readConfig({}).walletConnectProjectId).toBeUndefined()
  const good = { CAIRN_WALLETCONNECT_PROJECT_ID: 'ab'.repeat(16), CAIRN_WALLETCONNECT_RELAY_URL: 'wss://relay.example' }
  expect(problems(good)).toEqual([])
  expect(
    problems({ CAIRN_WALLETCONNECT_PROJECT_ID: 'mine', CAIRN_WALLETCONNECT_RELAY_URL: 'https://x.example' }),
  ).toEqual({
    problems: [
      'CAIRN_WALLETCONNECT_PROJECT_ID must be 32 hex characters',
      'CAIRN_WALLETCONNECT_RELAY_URL must be a wss:// URL',
    ],
  })
})

test('names of clients are known', () => {
  expect(problems({ CAIRN_NETWORK: 'x', CAIRN_API_KEY: 'y' })).toEqual([])
})

test('a secret is never repeated in the message', () => {
  expect(JSON.stringify(problems({ CAIRN_DATABASE_URL: 'mysql://user:hunter2@host/db' }))).not.toContain('hunter2')
})

test('a setting can lie in a file, but not in two places', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-config-'))
  try {
    const file = join(folder, 'url')
    writeFileSync(file, 'postgres://u:p@host/db\n')
    expect(readConfig({ CAIRN_DATABASE_URL_FILE: file }).database).toEqual({
      kind: 'postgres',
      url: 'postgres://u:p@host/db',
      poolSize: 10,
    })
    expect(problems({ CAIRN_DATABASE_URL_FILE: file, CAIRN_DATABASE_URL: 'postgres://x' })).toMatchObject({
      problems: [expect.stringContaining('twice')],
    })
    expect(problems({ CAIRN_DATABASE_URL_FILE: join(folder, 'none') })).toMatchObject({
      problems: [expect.stringContaining('does not open')],
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('every setting says what it is for and holds by its own default', () => {
  for (const [name, { about, fallback, read }] of Object.entries(settings)) {
    expect(about, name).toMatch(/\.$/)
    expect(() => read(fallback), name).not.toThrow()
  }
})
