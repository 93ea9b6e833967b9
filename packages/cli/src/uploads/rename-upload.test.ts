import { createClient, listFiles, uploadText } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { createTestKey, createTestNetwork } from '../../../../tests/fixtures.ts'
import { renameUpload } from './rename-upload.ts'

test('renames the upload of the content and name, and reports if there is none', async () => {
  await using network = await createTestNetwork()
  const client = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  const { cid } = await uploadText(client, 'hello world', { name: 'hello.txt' })
  const { signal } = new AbortController()
  await renameUpload(client, { cid, storedName: 'hello.txt', name: 'a/hello.txt' }, signal)
  expect((await Array.fromAsync(listFiles(client))).map(({ fileName }) => fileName)).toEqual(['a/hello.txt'])
  await expect(renameUpload(client, { cid, storedName: 'hello.txt', name: 'b' }, signal)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'Stored as hello.txt, not as b: the account does not list the upload',
  })
})
