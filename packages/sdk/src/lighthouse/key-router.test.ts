import { expect, test } from 'vitest'
import { listen } from '../../../../tests/listen.ts'
import { lighthouseConfig } from './config.ts'
import { getAuthMessage, recoverShards, saveShards } from './kavach.ts'

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
  expect(saved).toMatchObject({
    isSuccess: false,
    error: { message: 'fetch Error', code: 'NOT_FOUND', status: 404, statusCode: 404 },
  })
  expect(asked).toMatchObject({ message: null, error: { message: 'fetch Error', code: 'NOT_FOUND', statusCode: 404 } })
  expect(requestCount).toBe(6)
})

test('a number of shards may be a text, as in programs without types', async () => {
  await using server = await listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"payload":{"key":"1","index":"1"}}')
  })
  Object.assign(lighthouseConfig, { lighthouseAuthNode: server.url, keyNodePauseMs: 0 })
  const cid = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
  const recover = (count: unknown) => Reflect.apply(recoverShards, undefined, ['0x1', cid, 'token', count])
  expect(await recover('3')).toEqual({ shards: Array(3).fill({ key: '1', index: '1' }), error: null })
  for (const count of ['6', 'three', '', null, 0])
    expect(await recover(count)).toMatchObject({ shards: [], error: { code: 'INVALID_KEY_SHARDS' } })
})
