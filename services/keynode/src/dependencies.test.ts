// External dependencies of a key node and the router, as readiness, metrics and the log show them.
import { parseConditions } from '@cairn/protocol'
import { startAnvil } from '@cairn/service/anvil-fixture'
import { expect, test } from 'vitest'
import { startRouterBefore } from './router/router.fixture.ts'
import { startTestNode } from './test-node.fixture.ts'

/** Nothing listens there; the path represents a provider's key. */
const dead = 'http://127.0.0.1:9/secret-of-the-operator'

type Dependency = { kind: string; name: string; endpoint?: number; state: string; reason?: string }
type Ready = { isDegraded: boolean; dependencies: Dependency[] }

test('probes endpoints of chains before the first request; an offline one leaves the node ready', async () => {
  await using anvil = await startAnvil()
  const chain = { family: 'evm', chainId: 31337, confirmations: 0 }
  await using node = await startTestNode({
    CAIRN_KEYNODE_CHAINS: JSON.stringify({
      chains: {
        Local: { ...chain, rpcUrls: [anvil.url, dead] },
        Other: { ...chain, chainId: 5, rpcUrls: [anvil.url] },
        Gone: { ...chain, rpcUrls: [dead] },
      },
    }),
  })
  const read = async () => {
    const { status, json } = await node.call('GET', '/readyz')
    return { ...(json as Ready), status }
  }
  const states = async () => (await read()).dependencies.map(({ name, endpoint, state }) => [name, endpoint, state])
  await expect.poll(states).toEqual([
    ['Local', 0, 'ok'],
    ['Local', 1, 'failed'],
    ['Other', 0, 'failed'],
    ['Gone', 0, 'failed'],
  ])
  const { status, isDegraded, dependencies } = await read()
  expect([status, isDegraded]).toEqual([200, true])
  expect(dependencies.map(({ reason }) => reason)).toEqual([
    undefined,
    'the chain is unreachable',
    'the endpoint serves another chain',
    'the chain is unreachable',
  ])
  const figures = await node.context.metrics.registry.metrics()
  expect(figures).toContain('cairn_dependency_up{kind="endpoint",name="Local",endpoint="0"} 1')
  expect(figures).toContain('cairn_dependency_up{kind="endpoint",name="Gone",endpoint="0"} 0')

  // Any number of evaluations logs one line.
  const set = parseConditions({
    conditions: [
      {
        id: 1,
        chain: 'Gone',
        standardContractType: '',
        method: 'getBlockNumber',
        returnValueTest: { comparator: '>', value: '0' },
      },
    ],
  })
  for (let i = 0; i < 9; i++) await node.context.conditions.check(set, `0x${String(i).repeat(40)}`)
  const lines = node.lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40)
  expect(lines.map(({ msg, name, endpoint }) => `${msg}: ${name} ${endpoint}`).sort()).toEqual([
    'chain endpoint unavailable: Gone 0',
    'chain endpoint unavailable: Local 1',
    'chain endpoint unavailable: Other 0',
  ])
  expect(node.lines.join('') + figures + JSON.stringify(await read())).not.toContain('secret-of-the-operator')
  expect(node.lines.join('')).not.toContain('"stack"')
})

test('the router shows which key nodes answer', async () => {
  await using before = await startRouterBefore()
  before.answers[2] = (_request, _body, response) => void response.destroy()
  const states = async () => {
    const { json } = await before.call('GET', '/readyz')
    return (json as Ready).dependencies.map(({ name, state }) => `${name} ${state}`)
  }
  await expect.poll(states).toEqual(['1 ok', '2 ok', expect.stringMatching(/^3 /), '4 ok', '5 ok'])
  for (let i = 0; i < 5; i++) {
    expect((await before.call('POST', '/api/retrieveSharedKey/3', 'aa.bb.cc', { cid: 'x' })).code).toBe(
      'KEY_NODES_UNAVAILABLE',
    )
  }
  expect(await states()).toEqual(['1 ok', '2 ok', '3 failed', '4 ok', '5 ok'])
  const { status, json } = await before.call('GET', '/readyz')
  expect([status, (json as Ready).isDegraded]).toEqual([200, true])
  const lines = before.lines.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40)
  expect(lines).toMatchObject([
    { msg: 'key node unavailable', name: '3', reason: expect.stringContaining('KEY_NODES_UNAVAILABLE') },
    { msg: 'request failed', reason: expect.stringContaining('KEY_NODES_UNAVAILABLE') },
  ])
  expect(before.lines.join('')).not.toContain('"stack"')
  before.answers[2] = undefined
  expect((await before.call('POST', '/api/retrieveSharedKey/3', 'aa.bb.cc', { cid: 'x' })).status).toBe(200)
  expect(await states()).toEqual(['1 ok', '2 ok', '3 ok', '4 ok', '5 ok'])
})
