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

test('needs no settings', () => {
  const config = readConfig({ PATH: '/bin' })
  expect(config).toMatchObject({ host: '127.0.0.1', port: 8080, gatewayPort: 8081, database: { kind: 'sqlite' } })
  expect(Object.isFrozen(config)).toBe(true)
})

test('adds the offset to the default ports only', () => {
  expect(readConfig({ CAIRN_PORT_OFFSET: '100' })).toMatchObject({ port: 8180, gatewayPort: 8181 })
  expect(readConfig({ CAIRN_PORT_OFFSET: '100', CAIRN_PORT: '80' })).toMatchObject({ port: 80, gatewayPort: 8181 })
})

test('reports every wrong setting at once, including unknown ones', () => {
  expect(problems({ CAIRN_PORT: 'eighty', CAIRN_LOG_LEVEL: 'loud', CAIRN_FREE_BITES: '1', HOME: '/' })).toEqual({
    problems: [
      expect.stringMatching(/^CAIRN_PORT must be a whole number/),
      expect.stringMatching(/^CAIRN_LOG_LEVEL must be one of/),
      'CAIRN_FREE_BITES is not a setting, did you mean CAIRN_FREE_BYTES?',
    ],
  })
})

test('a faucet key that is not a private key is rejected, and stays out of the message', () => {
  expect(problems({ CAIRN_FAUCET_KEY: 'banana' })).toEqual({
    problems: ['CAIRN_FAUCET_KEY must be a private key of 64 hex characters, with or without 0x'],
  })
})

test('wallets on other devices need a project ID and a valid relay', () => {
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

test('recognises the names of clients', () => {
  expect(problems({ CAIRN_NETWORK: 'x', CAIRN_API_KEY: 'y' })).toEqual([])
})

test('the message never repeats a secret', () => {
  expect(JSON.stringify(problems({ CAIRN_DATABASE_URL: 'mysql://user:hunter2@host/db' }))).not.toContain('hunter2')
})

test('a setting can come from a file, but not from two places', () => {
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
      problems: [expect.stringContaining('cannot be opened (ENOENT)')],
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('every setting has a description and a valid default', () => {
  for (const [name, { about, fallback, read }] of Object.entries(settings)) {
    expect(about, name).toMatch(/\.$/)
    expect(() => read(fallback), name).not.toThrow()
  }
})

const onS3 = { CAIRN_DATABASE_URL: 'postgres://h/d', CAIRN_OBJECTS_URL: 's3://my-packs/a/b/' }

test('stores packs in a folder, or on S3', () => {
  expect(readConfig({}).s3).toBeUndefined()
  expect(readConfig(onS3).s3).toEqual({
    bucket: 'my-packs',
    prefix: 'a/b/',
    endpoint: undefined,
    region: 'us-east-1',
    isPathStyle: false,
    credentials: undefined,
    encryption: undefined,
    storageClass: undefined,
  })
  expect(
    readConfig({
      ...onS3,
      CAIRN_OBJECTS_URL: 's3://my-packs',
      CAIRN_S3_ENDPOINT: 'http://127.0.0.1:9000/',
      CAIRN_S3_REGION: 'eu-central-1',
      CAIRN_S3_FORCE_PATH_STYLE: 'on',
      CAIRN_S3_ACCESS_KEY_ID: 'id',
      CAIRN_S3_SECRET_ACCESS_KEY: 'secret',
      CAIRN_S3_ENCRYPTION: 'aws:kms',
      CAIRN_S3_KMS_KEY_ID: 'alias/packs',
      CAIRN_S3_STORAGE_CLASS: 'STANDARD_IA',
    }).s3,
  ).toEqual({
    bucket: 'my-packs',
    prefix: '',
    endpoint: 'http://127.0.0.1:9000',
    region: 'eu-central-1',
    isPathStyle: true,
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
    encryption: { algorithm: 'aws:kms', kmsKeyId: 'alias/packs' },
    storageClass: 'STANDARD_IA',
  })
})

test.each([
  ['SQLite', { CAIRN_OBJECTS_URL: 's3://packs' }, /CAIRN_OBJECTS_URL requires PostgreSQL/],
  ['a folder as well', { ...onS3, CAIRN_PACK_FOLDER: '/packs' }, /both set/],
  ['half of the credentials', { ...onS3, CAIRN_S3_ACCESS_KEY_ID: 'id' }, /must be set together/],
  ['a key without its encryption', { ...onS3, CAIRN_S3_KMS_KEY_ID: 'k' }, /requires CAIRN_S3_ENCRYPTION=aws:kms/],
  ['no bucket', { CAIRN_S3_ENDPOINT: 'http://s3.example' }, /CAIRN_S3_ENDPOINT is set, but CAIRN_OBJECTS_URL is empty/],
  ['path style and no bucket', { CAIRN_S3_FORCE_PATH_STYLE: 'on' }, /CAIRN_S3_FORCE_PATH_STYLE is set/],
  ['another scheme', { ...onS3, CAIRN_OBJECTS_URL: 'https://packs.example' }, /must be s3:/],
  ['a prefix that leads elsewhere', { ...onS3, CAIRN_OBJECTS_URL: 's3://packs/../x' }, /must be s3:/],
  ['an archive', { ...onS3, CAIRN_S3_STORAGE_CLASS: 'DEEP_ARCHIVE' }, /CAIRN_S3_STORAGE_CLASS must be one of/],
])('S3 with %s is rejected', (_, environment: Record<string, string>, message) => {
  expect(problems(environment)).toEqual({ problems: [expect.stringMatching(message)] })
})
