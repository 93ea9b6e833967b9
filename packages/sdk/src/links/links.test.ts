import { expect, test } from 'vitest'
import { createClient } from '../client.ts'
import { createLink, type LinkOptions } from './links.ts'

const nowhere = 'http://127.0.0.1:9'
const client = createClient({
  network: { name: 'test', api: nowhere, upload: nowhere, gateway: nowhere },
  apiKey: 'key',
})
const cid = `bafkrei${'a'.repeat(52)}`
const masterKey = 'a'.repeat(64)

test.each<[string, string, LinkOptions, { code: string; message?: string }]>([
  ['no key', cid, { masterKey: '' }, { code: 'INVALID_REQUEST', message: 'masterKey must be 64 hex characters' }],
  ['a key of another length', cid, { masterKey: 'aa' }, { code: 'INVALID_REQUEST' }],
  [
    'a longer name than visitors accept',
    cid,
    { masterKey, name: 'x'.repeat(1025) },
    { code: 'INVALID_REQUEST', message: 'name must have at most 1024 characters' },
  ],
  ['no CID', 'no cid', { masterKey }, { code: 'INVALID_CID' }],
  // What is right is sent: only the service is missing.
  ['nothing', ` ${cid}`, { masterKey, name: 'x'.repeat(1024) }, { code: 'NETWORK_ERROR' }],
])('a link is rejected before it exists for %s', async (_what, of, options, error) => {
  await expect(createLink(client, of, options)).rejects.toMatchObject(error)
})
