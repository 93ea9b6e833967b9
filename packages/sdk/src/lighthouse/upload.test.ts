// Programs without types pass what they did not find, and Node has files without a path.
import { expect, test } from 'vitest'
import { listen } from '../../../../tests/listen.ts'
import { lighthouseConfig } from './config.ts'
import { uploadEncrypted } from './encryption.ts'
import { getPrice } from './payments.ts'
import { upload } from './upload.ts'

const uploaded = { Name: 'x.txt', Hash: 'bafkreibnoelefnzgwbcacyt4vh52ymxvzbjq7mmqhtcnwarfq4lzegsiqe', Size: '1' }

test.each([undefined, null, [], {}])('an upload of %o is refused for want of a file', async (nothing) => {
  for (const send of [upload, uploadEncrypted])
    await expect(Reflect.apply(send, undefined, [nothing, 'key', '0x1', 'jwt:x'])).rejects.toMatchObject({
      code: 'NO_FILE',
    })
  const asked = Reflect.apply(getPrice, undefined, [nothing, 'polygon', 'usdc'])
  await expect(asked).rejects.toMatchObject({ code: 'NO_FILE' })
})

test('a list of a path is refused as no file', async () => {
  for (const send of [upload, uploadEncrypted])
    await expect(Reflect.apply(send, undefined, [['/nowhere/x.txt'], 'key', '0x1', 'jwt:x'])).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
})

test('one File of Node is uploaded as a file, not as a folder, and priced by its size', async () => {
  await using server = await listen((request, response) => {
    const profile = { name: 'test', api: server.url, upload: server.url, gateway: server.url }
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(request.method === 'POST' ? uploaded : profile))
    })
  })
  lighthouseConfig.lighthouseAPI = lighthouseConfig.lighthouseNode = server.url
  expect(await upload([new File(['x'], 'x.txt')], 'key')).toEqual({ data: uploaded })
  const large = new File([new Uint8Array(3 * 1024 ** 2)], 'large')
  for (const what of [large, [large]])
    expect(await Reflect.apply(getPrice, undefined, [what, 'polygon', 'usdc'])).toBe(11_719n)
})
