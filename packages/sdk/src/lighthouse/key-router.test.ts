import { expect, test } from 'vitest'
import { listen } from '../../../../tests/listen.ts'
import { lighthouseConfig } from './config.ts'
import { getAuthMessage, saveShards } from './kavach.ts'

test('a 404 of a key node is a fetch Error after three attempts, in results and in exceptions', async () => {
  let requestCount = 0
  await using server = await listen((_request, response) => {
    requestCount++
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>')
  })
  lighthouseConfig.lighthouseAuthNode = server.url
  const shards = Array.from({ length: 5 }, () => ({ key: '1', index: '1' }))
  const cid = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
  const [saved, asked] = await Promise.all([
    saveShards('0x1', cid, 'token', shards),
    getAuthMessage('0x70997970C51812dc3A010C7d01b50e0d17dc79C8'),
  ])
  expect(saved).toMatchObject({ isSuccess: false, error: { message: 'fetch Error', code: 'NOT_FOUND', status: 404 } })
  expect(asked).toMatchObject({ message: null, error: { message: 'fetch Error', code: 'NOT_FOUND' } })
  expect(requestCount).toBe(6)
})
