import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnDatabases } from '../on-databases.fixture.ts'
import { jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'

// PostgreSQL rejects NUL in a text, SQLite accepts it: both must return the same error, before anything is done.
describeOnDatabases('a NUL in a text is rejected, on %s:', (newDatabase) => {
  let storage: TestStorage
  let key: string
  beforeAll(async () => {
    const settings = await newDatabase()
    storage = await startTestStorage(settings)
    key = await storage.createKey()
  })
  afterAll(() => storage?.[Symbol.asyncDispose]())

  test.each([
    ['in a search', '/api/user/files_uploaded?search=a%00b', {}],
    ['in a filter', '/api/user/files_uploaded?fileType=image%00', {}],
    ['in a place of a list', '/api/user/files_uploaded?lastKey=%00', {}],
    ['in an id', '/api/user/delete_file?id=%00', { method: 'DELETE' }],
    ['in the name of a key', '/api/ipns/publish_record?cid=bafkqaaa&keyName=%00', {}],
    ['in a path', '/api/names/%00', {}],
    ['in a body', '/api/names', jsonBody({ label: 'a\0b' })],
  ])('%s', async (_where, path, options: RequestInit) => {
    const headers = { ...options.headers, authorization: `Bearer ${key}` }
    const answer = await storage.call(path, { ...options, headers })
    expect([answer.status, answer.headers.get('x-cairn-code')]).toEqual([400, 'INVALID_REQUEST'])
    if (path.includes('?'))
      expect(answer.body).toContain(`query.${/(\w+)=[^&]*%00/.exec(path)?.[1]} contains a NUL character`)
  })

  test('in the name of an API key, before the signature is spent', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const signedMessage = await account.signMessage({ message: await storage.getMessage(account.address) })
    const ask = (keyName: string) =>
      storage.call('/api/auth/create_api_key', jsonBody({ publicKey: account.address, signedMessage, keyName }))
    expect((await ask('a\0b')).headers.get('x-cairn-code')).toBe('INVALID_REQUEST')
    expect((await ask('ab')).status).toBe(200)
  })
})
