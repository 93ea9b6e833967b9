import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadLitesvm } from './litesvm.ts'
import { type LocalSolana, startLocalSolana } from './local-solana.ts'
import {
  callSolana,
  createSolanaSigner,
  latestBlockhash,
  mintTokens,
  sendInstructions,
  signTransaction,
  transfer,
} from './solana-transaction.fixture.ts'
import { isTransaction } from './solana-transaction.ts'

const now = Date.UTC(2026, 0, 1)
const sol = 1_000_000_000

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'cairn-solana-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

async function start(): Promise<LocalSolana> {
  const litesvm = loadLitesvm()
  if (litesvm === undefined) throw new Error('the engine is not installed')
  return startLocalSolana(litesvm, { home, host: '127.0.0.1', port: 0, now: () => now })
}

async function post(url: string, body: string): Promise<unknown> {
  return JSON.parse(await (await fetch(url, { method: 'POST', body })).text())
}

test('transactions deliver coins and tokens, which survive a restart', async () => {
  const [from, to] = [createSolanaSigner(), createSolanaSigner()]
  let token = { mint: '', account: '' }
  {
    await using chain = await start()
    await callSolana(chain.url, 'requestAirdrop', from.address, sol)
    await sendInstructions(chain.url, [from], [transfer(from.address, to.address, 400_000_000n)])
    token = await mintTokens(chain.url, to.address, 1_234n)
  }
  await using chain = await start()
  const { url } = chain
  // One signature costs 5,000 lamports.
  expect(await callSolana(url, 'getBalance', from.address)).toBe(sol - 400_000_000 - 5_000)
  expect(await callSolana(url, 'getBalance', to.address)).toBe(400_000_000)
  expect(await callSolana(url, 'getTokenAccountBalance', token.account)).toEqual({
    amount: '1234',
    decimals: 2,
    uiAmount: 12.34,
    uiAmountString: '12.34',
  })
  const held = (filter: object, encoding: string) =>
    callSolana(url, 'getTokenAccountsByOwner', to.address, filter, { encoding })
  expect(await held({ mint: token.mint }, 'jsonParsed')).toMatchObject([
    { pubkey: token.account, account: { data: { parsed: { info: { mint: token.mint, owner: to.address } } } } },
  ])
  expect(await held({ programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, 'base64')).toHaveLength(1)
  expect(await held({ mint: from.address }, 'base64')).toEqual([])
})

test('a transaction that is underfunded, unsigned or sent twice changes nothing', async () => {
  await using chain = await start()
  const { url } = chain
  const [from, to] = [createSolanaSigner(), createSolanaSigner()]
  await callSolana(url, 'requestAirdrop', from.address, sol)
  const tooMuch = [transfer(from.address, to.address, 2n * BigInt(sol))]
  await expect(sendInstructions(url, [from], tooMuch)).rejects.toThrow('Transaction failed')
  const { blockhash } = await latestBlockhash(url)
  const good = signTransaction(blockhash, [from], [transfer(from.address, to.address, 1_000_000n)])
  const send = (bytes: Buffer) => callSolana(url, 'sendTransaction', bytes.toString('base64'), { encoding: 'base64' })
  const forged = Buffer.from(good)
  forged[5] = (forged[5] ?? 0) ^ 1
  await expect(send(forged)).rejects.toThrow('Transaction failed')
  const signature = await send(good)
  expect(await callSolana(url, 'getSignatureStatuses', [signature])).toMatchObject([
    { confirmationStatus: 'finalized' },
  ])
  await expect(send(good)).rejects.toThrow('Transaction failed')
  expect(await callSolana(url, 'getBalance', to.address)).toBe(1_000_000)
})

test('rejects bytes that are not a transaction before the engine, which would abort the process', async () => {
  await using chain = await start()
  const { url } = chain
  const from = createSolanaSigner('3'.repeat(64))
  const good = signTransaction(
    (await latestBlockhash(url)).blockhash,
    [from],
    [transfer(from.address, from.address, 1n)],
  )
  expect(isTransaction(good)).toBe(true)
  for (let length = 0; length < good.length; length++) expect(isTransaction(good.subarray(0, length))).toBe(false)
  const bad = [
    good.subarray(0, 3),
    Buffer.concat([good, Buffer.from([0])]),
    Buffer.alloc(1233),
    Buffer.from([255, 255, 255]),
  ]
  for (const bytes of bad) {
    const sent = callSolana(url, 'sendTransaction', bytes.toString('base64'), { encoding: 'base64' })
    await expect(sent).rejects.toThrow('the bytes are not a transaction')
  }
  // Changes each byte: the engine rejects harmlessly whatever passes the check.
  for (let at = 0; at < good.length; at++) {
    for (const value of [0, 0x7f, 0x80, 0xff]) {
      const changed = Buffer.from(good)
      changed[at] = value
      if (changed.equals(good)) continue
      const sent = callSolana(url, 'sendTransaction', changed.toString('base64'), { encoding: 'base64' })
      await expect(sent).rejects.toThrow(/Transaction failed|not a transaction/)
    }
  }
  expect(await callSolana(url, 'getHealth')).toBe('ok')
})

test('time and height follow the clock', async () => {
  await using chain = await start()
  const slot = await callSolana(chain.url, 'getSlot')
  expect(await callSolana(chain.url, 'getBlockHeight')).toBe(slot)
  expect(now / 1000 - Number(await callSolana(chain.url, 'getBlockTime', slot))).toBeLessThan(1)
  expect(await callSolana(chain.url, 'getBlockTime', Number(slot) + 1)).toBe(null)
})

test('lamports beyond 2^53 are exact', async () => {
  await using chain = await start()
  const { address } = createSolanaSigner()
  chain.setAccount(address, { lamports: 2n ** 60n + 1n, data: new Uint8Array(), owner: '1'.repeat(32) })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getBalance', params: [address] })
  const response = await fetch(chain.url, { method: 'POST', body })
  expect(await response.text()).toContain(`"value":${2n ** 60n + 1n}}`)
})

test('returns a JSON-RPC error for invalid calls', async () => {
  await using chain = await start()
  const codeOf = async (body: string) => {
    const answer = await post(chain.url, body)
    return typeof answer === 'object' && answer !== null && 'error' in answer ? answer.error : undefined
  }
  const request = (method: string, ...params: unknown[]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  expect(await codeOf('{')).toMatchObject({ code: -32700 })
  expect(await codeOf('[]')).toMatchObject({ code: -32600 })
  expect(await codeOf(request('getProgramAccounts'))).toMatchObject({ code: -32601 })
  expect(await codeOf(request('toString'))).toMatchObject({ code: -32601 })
  expect(await codeOf(`"${'x'.repeat(20_000)}"`)).toMatchObject({ code: -32600 })
  for (const params of [[], ['0x12'], ['1'.repeat(31)], ['1'.repeat(5000)], [{}]])
    expect(await codeOf(request('getBalance', ...params))).toMatchObject({ code: -32602 })
  for (const lamports of [0, -1, 1.5, '1', 2 ** 60])
    expect(await codeOf(request('requestAirdrop', '1'.repeat(32), lamports))).toMatchObject({ code: -32602 })
})

test('rejects a request with a nested id, and the chain continues', async () => {
  await using chain = await start()
  const id = `${'['.repeat(8_000)}${']'.repeat(8_000)}`
  expect(await post(chain.url, `{"jsonrpc":"2.0","id":${id},"method":"getHealth"}`)).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32600, message: 'Invalid request' },
  })
  expect(await callSolana(chain.url, 'getHealth')).toBe('ok')
})

test('reports and keeps a damaged state', async () => {
  {
    await using chain = await start()
    await callSolana(chain.url, 'requestAirdrop', createSolanaSigner().address, sol)
  }
  const [name = ''] = readdirSync(join(home, 'solana'))
  const file = join(home, 'solana', name)
  const bytes = readFileSync(file)
  bytes[1000] = (bytes[1000] ?? 0) ^ 1
  writeFileSync(file, bytes)
  await expect(start()).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining(file) })
  expect(readFileSync(file).equals(bytes)).toBe(true)
})

test('has no chain on a machine without a package for it', () => {
  expect(loadLitesvm('aix-ppc64')).toBe(undefined)
})
