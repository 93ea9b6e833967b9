// The command line imports what services list: Lighthouse, the Pinning Service API, Pinata.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decryptBytes, getConditions, listFiles, listKeyFiles, uploadBytes, uploadEncryptedBytes } from '@cairn/sdk'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyClient } from '../fixtures.ts'
import { storeLightWallet } from '../light-wallet.ts'
import { skipPauses } from '../lighthouse/skip-pauses.ts'
import { listen } from '../listen.ts'
import { type ImportNetworks, listImported, startImportNetworks } from './import-networks.ts'

let networks: ImportNetworks
beforeAll(async () => {
  networks = await startImportNetworks({ chain: 'local' })
})
afterAll(() => networks?.[Symbol.asyncDispose]())

/** The API of the source network with small pages. */
function openSmallPages(requests: string[]) {
  return listen((request, response) => {
    const url = new URL(request.url ?? '', networks.source.profile.api)
    requests.push(`${url.pathname}${url.search}`)
    url.searchParams.set('limit', '2')
    fetch(url, { headers: { authorization: request.headers.authorization ?? '' } })
      .then(async (answer) => {
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
      })
      .catch(() => response.destroy())
  })
}

test('Lighthouse: imports all pages with names and types, and opens encrypted files when the owner signs', async () => {
  // The command waits a second between the five nodes of the other network.
  using _pauses = skipPauses()
  const { source, target, folder, runImport } = networks
  const privateKey = generatePrivateKey()
  const owner = await createKeyClient(source, privateKey)
  const friend = `0x${'56'.repeat(20)}`
  const secret = new Uint8Array(randomBytes(40_000))
  for (let i = 0; i < 4; i++)
    await uploadBytes(owner, randomBytes(300 + i), { name: `${i}.txt`, mimeType: 'text/x-moved' })
  const { cid } = await uploadEncryptedBytes(owner, secret, { name: 'diary', shareTo: [friend] })
  const condition = (id: number, comparator: string, value: string) => ({
    id,
    chain: 'local',
    method: 'getBlockNumber',
    standardContractType: '',
    returnValueTest: { comparator, value },
  })
  const conditions = [condition(1, '>=', '0'), condition(2, '<', '99999999999')]
  const conditional = await uploadEncryptedBytes(owner, randomBytes(900), {
    name: 'later',
    conditions: { conditions, aggregator: '([1] and [2])' },
  })

  const mover = await createKeyClient(target, privateKey)
  const config = join(folder, 'mover')
  writeFileSync(join(folder, 'password'), 'correct horse\n', { mode: 0o600 })
  writeFileSync(join(folder, 'lighthouse.key'), `${owner.apiKey}\n`)
  const env = { CAIRN_CONFIG_HOME: config, CAIRN_PASSWORD_FILE: join(folder, 'password') }
  await storeLightWallet(config, owner.privateKey, 'correct horse')

  const requests: string[] = []
  await using api = await openSmallPages(requests)
  const args = [
    ...['lighthouse', '--source', api.url, '--gateway', source.profile.gateway],
    ...['--source-key-file', 'lighthouse.key', '--state', 'lighthouse.jsonl'],
  ]
  const dry = await runImport([...args, '--dry-run'], { env }, mover)
  expect([dry.code, dry.summary]).toEqual([0, expect.objectContaining({ items: 6, unknownSizes: 0 })])

  const first = await runImport(args, { env }, mover)
  expect([first.code, first.summary]).toEqual([0, expect.objectContaining({ items: 6, uploaded: 6 })])
  expect(requests.every((url) => url.startsWith('/api/user/files_uploaded?lastKey='))).toBe(true)
  expect(requests.length).toBeGreaterThanOrEqual(6)
  expect(await listImported(mover)).toEqual(await listImported(owner))
  const types = await Array.fromAsync(listFiles(mover), ({ mimeType }) => mimeType)
  expect(types.filter((type) => type === 'text/x-moved')).toHaveLength(4)
  await expect(decryptBytes(mover, cid)).rejects.toMatchObject({ code: 'KEY_NOT_FOUND' })

  const keys = ['--wallet', '--source-keys', source.profile.keyRouter ?? '']
  const second = await runImport([...args, ...keys], { env }, mover)
  expect([second.code, second.summary]).toEqual([0, expect.objectContaining({ items: 6, uploaded: 0, present: 6 })])
  expect(await decryptBytes(mover, cid)).toEqual(secret)
  const owned = await Array.fromAsync(listKeyFiles(mover, 'owner'))
  const rights = owned.map((file) => [file.cid, file.sharedTo, file.hasConditions])
  expect(rights.sort()).toEqual([[cid, [friend], false] as const, [conditional.cid, [], true] as const].toSorted())
  const moved = await getConditions(mover, conditional.cid)
  expect(moved).toEqual(await getConditions(owner, conditional.cid))
  expect(moved).toMatchObject({ conditions, aggregator: '([1] and [2])' })
  // The conditions decide here as they did there: a stranger who meets them opens that file, and not the shared one.
  const visitor = await createKeyClient(target)
  expect(await decryptBytes(visitor, conditional.cid)).toHaveLength(900)
  await expect(decryptBytes(visitor, cid)).rejects.toMatchObject({ code: 'ACCESS_DENIED' })

  // Another wallet cannot receive the key, so its account does not list the file.
  const stranger = await createKeyClient(target)
  const strange = { ...env, CAIRN_CONFIG_HOME: join(folder, 'stranger') }
  await storeLightWallet(strange.CAIRN_CONFIG_HOME, stranger.privateKey, 'correct horse')
  const asStranger = await runImport([...args.slice(0, -2), ...keys], { env: strange }, stranger)
  expect([asStranger.code, asStranger.summary]).toEqual([8, expect.objectContaining({ uploaded: 4, missing: 2 })])
  expect(asStranger.items.find((item) => item.cid === cid)).toMatchObject({
    error: { code: 'ACCESS_DENIED' },
  })
  expect((await listImported(stranger)).map(([, name]) => name)).not.toContain('diary')

  writeFileSync(join(folder, 'wrong.key'), 'nonsense')
  const wrong = ['lighthouse', '--source', api.url, '--gateway', api.url, '--source-key-file', 'wrong.key']
  expect(JSON.parse((await runImport(wrong)).err).error.code).toBe('UNAUTHENTICATED')
})

test('the Pinning Service API: imports all pages of pins', async () => {
  const { source, cids, runImport } = networks
  const owner = await createKeyClient(source)
  for (const [name, cid] of [
    ['film.mp4', cids.large],
    ['folder', cids.folder],
    ['small', cids.small],
  ]) {
    const answer = await fetch(`${source.profile.api}/pins`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ cid, name }),
    })
    expect(await answer.json()).toMatchObject({ status: 'pinned' })
  }
  const requests: string[] = []
  await using api = await openSmallPages(requests)
  const args = ['pins', '--source', api.url, '--gateway', source.profile.gateway]
  const { code, summary, client } = await runImport(args, { env: { PINNING_SERVICE_TOKEN: owner.apiKey ?? '' } })
  expect([code, summary]).toEqual([0, expect.objectContaining({ items: 3, uploaded: 3 })])
  expect(requests).toHaveLength(2)
  expect(await listImported(client)).toEqual(
    [
      [cids.large, 'film.mp4', false],
      [cids.folder, 'folder', false],
      [cids.small, 'small', false],
    ].sort(),
  )
})

test('Pinata: imports all pages, in the documented form', async () => {
  const { source, cids, runImport } = networks
  const file = (cid: string, name: string | null) => ({
    id: `id-${cid}`,
    name,
    cid,
    size: 900,
    number_of_files: 1,
    mime_type: 'text/x-moved',
    group_id: null,
    created_at: '2024-08-27T14:57:51.485934Z',
  })
  const pages: Record<string, unknown> = {
    '': { files: [file(cids.small, 'from pinata')], next_page_token: 'next' },
    next: { files: [file(cids.folder, null), file('pending', 'x')], next_page_token: null },
  }
  await using api = await listen((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://pinata')
    const isRight = pathname === '/v3/files/public' && request.headers.authorization === 'Bearer jwt'
    const data = pages[searchParams.get('pageToken') ?? '']
    response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
  })
  const args = ['pinata', '--source', api.url, '--gateway', source.profile.gateway]
  const { code, summary, items, client } = await runImport(args, { env: { PINATA_JWT: 'jwt' } })
  expect([code, summary]).toEqual([8, expect.objectContaining({ items: 3, uploaded: 2, missing: 1 })])
  expect(items.find(({ error }) => error !== undefined)).toMatchObject({ name: 'x', error: { code: 'INVALID_CID' } })
  expect(await listImported(client)).toEqual(
    [
      [cids.small, 'from pinata', false],
      [cids.folder, cids.folder, false],
    ].sort(),
  )
})
