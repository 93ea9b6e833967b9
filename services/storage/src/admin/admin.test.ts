// The commands as an operator runs them, on either database, beside a running service.
import { once } from 'node:events'
import { coinPriceOf, GIB, MIB } from '@cairn/protocol'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { sql } from 'kysely'
import { CID } from 'multiformats/cid'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { readStoragePrice } from '../ledger/ledger.ts'
import { findPriceOfStorage } from '../payments/credit.ts'
import { reconcile } from '../payments/reconcile.ts'
import { insertPin } from '../pins/store.ts'
import { createMultipart } from '../s3/multipart/parts.ts'
import { bearer, errorCodeOf, jsonBody, startTestStorage, type TestStorage } from '../start-test-storage.fixture.ts'
import { runAdmin, startAdmin } from './admin.fixture.ts'
import { parseBytes } from './parse-bytes.ts'
import { adminTool } from './run-command.ts'

let postgres: PostgresFixture
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres?.stop())

test.each([
  ['10GiB', 10 * GIB],
  ['+1MiB', MIB],
  ['-500MiB', -500 * MIB],
  ['7', 7],
])('%s is %i bytes', (text, bytes) => expect(parseBytes(text)).toBe(bytes))

test('a negative argument is reported as it was typed', async () => {
  const { code, complained } = await runAdmin({ CAIRN_HOME: '/nowhere' }, 'price', 'set', '-1')
  expect([code, complained]).toEqual([2, expect.stringContaining('-1 is not a price')])
})

test.each(['', '0', '1.5GiB', '1GB', 'all', '9999999999999TiB', '--1'])('"%s" is not an amount', (text) =>
  expect(() => parseBytes(text)).toThrow(/is not an amount/),
)

describe.each(databaseKinds)('cairn-admin on %s', (kind) => {
  let storage: TestStorage
  let environment: Record<string, string>
  const account = privateKeyToAccount(generatePrivateKey())
  const address = account.address.toLowerCase()
  let key = ''
  beforeEach(async () => {
    const url = kind === 'postgres' ? await postgres.createDatabase() : undefined
    const database = url === undefined ? {} : { CAIRN_DATABASE_URL: url }
    storage = await startTestStorage({ CAIRN_FREE_BYTES: String(GIB), ...database })
    environment = { CAIRN_HOME: storage.home, CAIRN_FREE_BYTES: String(GIB), ...database }
    key = await storage.createKey(account)
  })
  afterEach(() => storage[Symbol.asyncDispose]())

  const admin = (...args: string[]) => runAdmin(environment, ...args)
  const usage = () => storage.call('/api/user/user_data_usage', bearer(key))
  const upload = async (name: string) => {
    const body = new FormData()
    body.append('file', new Blob([`content of ${name}`]), name)
    const answer = await storage.call('/api/v0/add', { method: 'POST', ...bearer(key), body })
    expect(answer.status).toBe(200)
  }

  test('blocks an account for each call and at sign-in, from the next one on, and unblocks it', async () => {
    expect((await usage()).status).toBe(200)
    const dry = await admin('accounts', 'block', account.address, '--reason', 'spam', '--dry-run')
    expect([dry.code, dry.lines[0]]).toEqual([0, expect.stringMatching(/^Dry run: accounts block 0x/)])
    expect((await usage()).status).toBe(200)

    expect((await admin('accounts', 'block', account.address, '--reason', 'spam')).code).toBe(0)
    const refused = await usage()
    expect([refused.status, errorCodeOf(refused)]).toEqual([403, 'ACCOUNT_BLOCKED'])
    // Published clients upload with a key, or with one signature.
    const body = () => {
      const form = new FormData()
      form.append('file', new Blob(['x']), 'x')
      return form
    }
    const withKey = await storage.call('/api/v0/add', { method: 'POST', ...bearer(key), body: body() })
    const message = await storage.getMessage(account.address, { purpose: 'upload' })
    const once = bearer(`${account.address}$${await account.signMessage({ message })}`)
    const withSignature = await storage.call('/api/v0/add', { method: 'POST', ...once, body: body() })
    const signedMessage = await account.signMessage({
      message: await storage.getMessage(account.address, { purpose: 'api-key' }),
    })
    const newKey = await storage.call('/api/auth/create_api_key', jsonBody({ publicKey: address, signedMessage }))
    for (const answer of [withKey, withSignature, newKey])
      expect([answer.status, errorCodeOf(answer)]).toEqual([403, 'ACCOUNT_BLOCKED'])
    // Others are not.
    expect(await storage.createKey()).toMatch(/^cairn_/)

    const { json } = await admin('accounts', 'list', '--json')
    expect(json.find((row) => row['address'] === address)).toMatchObject({ blockReason: 'spam' })
    expect((await admin('accounts', 'unblock', address)).code).toBe(0)
    expect((await usage()).status).toBe(200)
    expect((await admin('accounts', 'unblock', address)).lines).toEqual(['No changes.'])
    const { json: log } = await admin('audit', '--json')
    expect(log.map(({ action, subject, reason }) => [action, subject, reason])).toEqual([
      ['accounts unblock', address, null],
      ['accounts block', address, 'spam'],
    ])
    expect(log[1]).toMatchObject({
      actor: expect.stringMatching(/./),
      before: { blockedAt: null },
      after: { blockReason: 'spam' },
    })
  })

  test('merges small packs, beside replicas or when the service is stopped, and counts them in a dry run', async () => {
    for (let at = 0; at < 5; at++) {
      const body = new FormData()
      body.append('file', new Blob([new Uint8Array(400_000).fill(at)]), `${at}.bin`)
      expect((await storage.call('/api/v0/add', { method: 'POST', ...bearer(key), body })).status).toBe(200)
    }
    Object.assign(environment, { CAIRN_MERGE_AGE_SECONDS: '0', CAIRN_MERGE_TARGET_BYTES: String(MIB) })
    expect((await admin('merge-packs', '--dry-run', '--json')).json).toMatchObject([{ kind: 'plan', packs: 5 }])
    if (kind === 'sqlite') expect((await admin('merge-packs')).code).toBe(78)
    else {
      const { code, json } = await admin('merge-packs', '--json')
      expect(code).toBe(0)
      expect(json).toMatchObject([{ kind: 'merged', packs: 2 }, { kind: 'merged' }, { kind: 'summary', packs: 4 }])
      expect((await admin('audit', '--json')).json).toMatchObject([{ action: 'merge-packs', after: { packs: 4 } }])
      expect((await admin('check')).code).toBe(0)
    }
    expect((await runAdmin({ ...environment, CAIRN_MERGE_PACK_BYTES: '0' }, 'merge-packs')).code).toBe(78)
  })

  test('applies a price from now on, at once, and a payment buys at the lowest of ten minutes', async () => {
    const { read } = storage.context.db
    const minutes = (count: number) => count * 60_000
    expect((await admin('price', 'list', '--json')).json).toEqual([{ usdPerGib: 4, effectiveAt: 0 }])
    expect((await admin('price', 'set', '8', '--dry-run')).lines[0]).toMatch(/^Dry run: price set/)
    expect((await admin('price', 'list', '--json')).json).toHaveLength(1)

    const { json } = await admin('price', 'set', '8', '--reason', 'disks cost more', '--json')
    const raised = await readStoragePrice(read)
    expect(raised.usdPerGib).toBe(8)
    expect(json).toMatchObject([{ action: 'price set', before: { usdPerGib: 4 }, after: raised, isDryRun: false }])
    expect((await admin('price', 'set', '8.0')).lines).toEqual(['No changes.'])
    const at = async (afterMs: number) => findPriceOfStorage(read, raised.effectiveAt + afterMs)
    expect(await at(-1)).toEqual(coinPriceOf(4))
    expect(await at(minutes(10) - 1)).toEqual(coinPriceOf(4))
    expect(await at(minutes(10))).toEqual(coinPriceOf(8))

    // A lower price applies immediately, and what applied before stays.
    expect((await admin('price', 'set', '0.25')).code).toBe(0)
    const lowered = await readStoragePrice(read)
    expect(await findPriceOfStorage(read, lowered.effectiveAt)).toEqual(coinPriceOf(0.25))
    // A block can be dated up to a minute before the payment was sent.
    expect(await findPriceOfStorage(read, lowered.effectiveAt - minutes(1))).toEqual(coinPriceOf(0.25))
    expect(await findPriceOfStorage(read, lowered.effectiveAt - minutes(1) - 1)).toEqual(coinPriceOf(4))
    const { json: list } = await admin('price', 'list', '--json')
    expect(list.map(({ usdPerGib }) => usdPerGib)).toEqual([0.25, 8, 4])
    for (const text of ['0', '-1', 'free', '1e3', '']) expect((await admin('price', 'set', text)).code).toBe(2)
    const { json: log } = await admin('audit', '--json')
    expect(log.map(({ action, reason }) => [action, reason])).toEqual([
      ['price set', null],
      ['price set', 'disks cost more'],
    ])
  })

  test('applies bounds of free storage to the next account and upload, and restores those of the settings', async () => {
    const limitOf = async (of: string) => {
      const { json } = await admin('accounts', 'show', of, '--json')
      return json[0]?.['limitBytes']
    }
    const open = async () => {
      const signer = privateKeyToAccount(generatePrivateKey())
      await storage.createKey(signer)
      return limitOf(signer.address)
    }
    expect((await admin('free', 'show', '--json')).json).toMatchObject([{ accountBytes: GIB, totalBytes: 1024 * GIB }])
    expect((await admin('free', 'set', 'account', '2MiB', '--dry-run')).code).toBe(0)
    expect(await open()).toBe(GIB)
    expect((await admin('free', 'set', 'account', '2MiB')).code).toBe(0)
    expect(await open()).toBe(2 * MIB)
    expect(await limitOf(address)).toBe(GIB)
    expect((await admin('free', 'set', 'accounts-per-day', '0')).code).toBe(0)
    expect(await open()).toBe(0)
    expect((await admin('free', 'set', 'accounts-per-day', 'unlimited')).code).toBe(0)
    expect((await admin('free', 'set', 'account', 'default')).code).toBe(0)
    expect(await open()).toBe(GIB)

    await upload('before')
    expect((await admin('free', 'set', 'total', '0')).code).toBe(0)
    const body = new FormData()
    body.append('file', new Blob(['more']), 'more')
    const refused = await storage.call('/api/v0/add', { method: 'POST', ...bearer(key), body })
    expect([refused.status, errorCodeOf(refused)]).toEqual([402, 'FREE_STORAGE_EXHAUSTED'])
    expect(await storage.context.metrics.registry.getSingleMetricAsString('cairn_free_storage_limit_bytes')).toMatch(
      /cairn_free_storage_limit_bytes 0$/m,
    )
    expect((await admin('free', 'set', 'total', 'unlimited')).code).toBe(0)
    expect((await admin('free', 'show', '--json')).json).toEqual([
      { accountBytes: GIB, totalBytes: null, accountsPerDay: null },
    ])
    expect((await admin('free', 'show')).lines.join('\n')).toBe(
      'account  1.00 GiB\ntotal  unlimited\naccounts-per-day  unlimited',
    )
    await upload('after')
    for (const args of [
      ['account', 'unlimited'],
      ['account', '-1MiB'],
      ['total', 'much'],
      ['reserve', '1'],
    ])
      expect((await admin('free', 'set', ...args)).code).toBe(2)
  })

  test('adjusts the limit by an entry with its reason, rejects a negative limit, and keeps the books balanced', async () => {
    const { code } = await admin('ledger', 'adjust', address, '10GiB', '--reason', 'goodwill')
    expect(code).toBe(0)
    expect((await usage()).json).toMatchObject({ dataLimit: 11 * GIB })
    expect((await admin('ledger', 'adjust', address, '-512MiB', '--reason', 'refund')).code).toBe(0)
    expect((await usage()).json).toMatchObject({ dataLimit: 10.5 * GIB })
    const below = await admin('ledger', 'adjust', address, '-11GiB', '--reason', 'mistake', '--json')
    expect([below.code, JSON.parse(below.complained).code]).toEqual([1, 'INVALID_REQUEST'])
    const unknown = await admin('ledger', 'adjust', `0x${'12'.repeat(20)}`, '1GiB', '--reason', 'x', '--json')
    expect(JSON.parse(unknown.complained).code).toBe('NOT_FOUND')
    const dry = await admin('ledger', 'adjust', address, '1TiB', '--reason', 'x', '--dry-run', '--json')
    expect(dry.json).toMatchObject([{ isDryRun: true, after: { limitBytes: 1034.5 * GIB } }])
    expect((await usage()).json).toMatchObject({ dataLimit: 10.5 * GIB })
    const { json } = await admin('accounts', 'usage', address, '--json')
    expect(json[0]).toMatchObject({
      limitBytes: 10.5 * GIB,
      apiKeys: 1,
      ledger: [
        { kind: 'adjustment', bytes: -512 * MIB, note: 'refund' },
        { kind: 'adjustment', bytes: 10 * GIB, note: 'goodwill' },
        { kind: 'allowance', bytes: GIB },
      ],
    })
    expect((await admin('accounts', 'list')).lines).toEqual([`${address}  0 B of 10.5 GiB in 0 files`])
    const usageText = (await admin('accounts', 'usage', address)).lines.join('\n')
    expect(usageText).toMatch(/adjustment {2}-512 MiB {2}refund\n.*adjustment {2}10\.0 GiB {2}goodwill\n/)
    expect((await reconcile(storage.context)).findings).toEqual([])
  })

  test('deletes all files of an account as its owner would, and no others', async () => {
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await upload(name)
    const other = await storage.createKey()
    const body = new FormData()
    body.append('file', new Blob(['another']), 'other.txt')
    await storage.call('/api/v0/add', { method: 'POST', ...bearer(other), body })
    expect((await admin('accounts', 'delete', address, '--reason', 'court', '--dry-run')).code).toBe(0)
    expect((await usage()).json).not.toMatchObject({ dataUsed: 0 })
    expect((await admin('accounts', 'delete', address, '--reason', 'court')).code).toBe(0)
    expect((await usage()).json).toMatchObject({ dataUsed: 0 })
    const listed = await storage.call('/api/user/files_uploaded', bearer(other))
    expect(listed.json).toMatchObject({ totalFiles: 1 })
    // The bytes wait for the grace period, as always.
    const packs = await storage.context.db.read.selectFrom('pack').select('unreferenced_at').execute()
    expect(packs.filter(({ unreferenced_at }) => unreferenced_at !== null)).toHaveLength(3)
    expect((await admin('accounts', 'delete', address, '--reason', 'again')).code).toBe(0)
    expect((await reconcile(storage.context)).findings).toEqual([])
  })

  test('deletes the files of an account whose totals are wrong', async () => {
    for (const name of ['a.txt', 'b.txt']) await upload(name)
    const { db } = storage.context
    const wrong = { upload_count: 0, data_used_bytes: 1 }
    await db.write((trx) => trx.updateTable('account').set(wrong).where('address', '=', address).execute())
    expect((await admin('accounts', 'delete', address, '--reason', 'court')).code).toBe(0)
    expect(await db.read.selectFrom('upload').select('id').execute()).toEqual([])
    expect((await usage()).json).toMatchObject({ dataUsed: 0 })
    const { json } = await admin('audit', '--json')
    expect(json.at(-1)).toMatchObject({ action: 'accounts delete', before: { files: 2 } })
    expect((await reconcile(storage.context)).findings).toEqual([])
  })

  test('deletes the unfinished uploads and queued pins of an account, and no others', async () => {
    const { db, clock } = storage.context
    const other = privateKeyToAccount(generatePrivateKey())
    await storage.createKey(other)
    const owners = [address, other.address.toLowerCase()]
    const cid = CID.parse('bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e')
    for (const [at, owner] of owners.entries()) {
      await insertPin(storage.context, owner, { cid: `${cid}` }, cid, { owner: 'a worker' })
      const bucket = `bucket-${at}`
      await db.write((trx) =>
        trx
          .insertInto('s3_bucket')
          .values({ name: bucket, address: owner, cors: null, tags: null, created_at: 1 })
          .execute(),
      )
      await createMultipart(
        storage.context,
        owner,
        { bucket, key: 'k' },
        { headers: {}, metadata: {}, tags: [] },
        undefined,
      )
    }
    expect((await admin('accounts', 'delete', address, '--reason', 'court')).code).toBe(0)
    expect(await db.read.selectFrom('pin').select('address').execute()).toEqual([{ address: owners[1] }])
    const open = db.read.selectFrom('s3_multipart').select('address').where('expires_at', '>', clock.now())
    expect(await open.execute()).toEqual([{ address: owners[1] }])
  })

  test('the database rejects changes to the log', async () => {
    await admin('accounts', 'block', address, '--reason', 'x')
    const { db } = storage.context
    for (const change of [sql`update audit_entry set actor = 'nobody'`, sql`delete from audit_entry`])
      await expect(db.write((trx) => change.execute(trx))).rejects.toThrow(/append-only/)
    expect((await admin('audit', '--json')).json).toHaveLength(1)
  })

  test('offers a failed deal again, but not one that is kept, replaced or unknown', async () => {
    const { db } = storage.context
    await db.write(async (trx) => {
      await trx
        .insertInto('aggregate')
        .values({
          id: 'a',
          cid: 'c',
          root: Buffer.alloc(32),
          height: 10,
          piece_count: 1,
          copies: 2,
          state: 'live',
          created_at: 1,
          looked_at: 1,
          place_at: null,
        })
        .execute()
      const deal = {
        aggregate_id: 'a',
        provider_key: null,
        since: 1,
        created_at: 1,
        kept_at: null,
        proven_at: null,
        next_at: 1,
        tries: 6,
        proofs: 0,
        faults: 0,
        token_hash: null,
        error: 'It never fetched what it was offered',
        challenge_nonce: null,
        challenge_source: null,
        silent_since: null,
      }
      await trx
        .insertInto('deal')
        .values([
          { ...deal, number: 1, provider: 'one', state: 'failed' },
          { ...deal, number: 2, provider: 'two', state: 'proving' },
          { ...deal, number: 3, provider: 'two', state: 'failed' },
          {
            ...deal,
            number: 4,
            provider: 'three',
            state: 'faulted',
            kept_at: 2,
            proven_at: 3,
            silent_since: 4,
            challenge_nonce: 'n',
            challenge_source: 'random',
          },
        ])
        .execute()
    })
    expect((await admin('deals', 'requeue', '1')).code).toBe(0)
    expect(
      await db.read.selectFrom('deal').select(['state', 'tries', 'error']).where('number', '=', 1).execute(),
    ).toEqual([{ state: 'queued', tries: 0, error: null }])
    // Nothing of the lost copy counts for the next one.
    expect((await admin('deals', 'requeue', '4')).code).toBe(0)
    const lost = await db.read.selectFrom('deal').selectAll().where('number', '=', 4).executeTakeFirst()
    expect(lost).toMatchObject({ state: 'queued', kept_at: null, proven_at: null, silent_since: null })
    expect(lost).toMatchObject({ challenge_nonce: null, challenge_source: null })
    for (const number of ['2', '3']) {
      const { code, complained } = await admin('deals', 'requeue', number, '--json')
      expect([code, JSON.parse(complained).code]).toEqual([78, 'CONFLICT'])
    }
    expect(JSON.parse((await admin('deals', 'requeue', '9', '--json')).complained).code).toBe('NOT_FOUND')
  })

  test('inspects the settings without changing the database', async () => {
    const { code, json } = await admin('verify-config', '--json')
    const errors = json.filter(({ level }) => level === 'error').map(({ setting }) => setting)
    expect([code, errors]).toEqual(kind === 'postgres' ? [1, ['CAIRN_STORAGE_SECRET']] : [0, []])
    const fresh = kind === 'postgres' ? { CAIRN_DATABASE_URL: await postgres.createDatabase() } : {}
    const home = `${storage.home}/fresh`
    const first = await runAdmin({ CAIRN_HOME: home, ...fresh, CAIRN_STORAGE_SECRET: 'ab'.repeat(32) }, 'verify-config')
    expect([first.code, first.lines.join('\n')]).toEqual([0, expect.stringContaining('The database is new')])
    const again = await runAdmin({ CAIRN_HOME: home, ...fresh, CAIRN_STORAGE_SECRET: 'ab'.repeat(32) }, 'verify-config')
    expect(again.lines).toEqual(first.lines)
    const wrong = await runAdmin(
      {
        ...environment,
        CAIRN_STORAGE_SECRET: 'ab'.repeat(32),
        CAIRN_PUBLIC_API_URL: 'https://cairn.example',
        CAIRN_PUBLIC_GATEWAY_URL: 'https://cairn.example',
        CAIRN_CONSOLE_FOLDER: home,
      },
      'verify-config',
      '--json',
    )
    expect(wrong.code).toBe(1)
    expect(wrong.json.filter(({ level }) => level === 'error').map(({ setting }) => setting)).toEqual([
      'CAIRN_PUBLIC_GATEWAY_URL',
      'CAIRN_CONSOLE_FOLDER',
    ])
  })
})

test('verify-config says why the database does not answer', async () => {
  const settings = { CAIRN_DATABASE_URL: 'postgres://cairn@127.0.0.1:1/none', CAIRN_STORAGE_SECRET: 'ab'.repeat(32) }
  const { code, lines } = await runAdmin({ CAIRN_HOME: '/nonexistent/cairn', ...settings }, 'verify-config')
  expect([code, lines]).toEqual([
    1,
    expect.arrayContaining([
      'error  CAIRN_DATABASE_URL: PostgreSQL is not available: connect ECONNREFUSED 127.0.0.1:1.',
    ]),
  ])
})

test('wrong use ends with 2 and the usage; a wrong folder ends with 78 and creates nothing', async () => {
  const nowhere = { CAIRN_HOME: '/nonexistent/cairn' }
  for (const args of [
    ['accounts'],
    ['accounts', 'block', 'x', '--reason', 'y'],
    ['accounts', 'block', '0x'],
    ['frobnicate'],
    ['audit', '--what'],
    ['accounts', 'list', '--reason', 'x'],
    ['backup', '/tmp/backups', '--keep', '3'],
  ]) {
    const { code, complained } = await runAdmin(nowhere, ...args)
    expect([args, code, complained]).toEqual([args, 2, expect.stringContaining('cairn-admin --help')])
  }
  expect((await runAdmin(nowhere, 'accounts', 'list', '--keep', '3')).complained).toContain(
    'accounts list does not take --keep, which is an option of backup prune',
  )
  for (const { commands } of Object.values(adminTool.options))
    for (const command of commands) expect(Object.keys(adminTool.commands)).toContain(command)
  const { code, complained } = await runAdmin(nowhere, 'audit')
  expect([code, complained]).toEqual([78, expect.stringContaining('There is no database at /nonexistent/cairn')])
  expect((await runAdmin({}, '--help')).lines.join()).toContain('cairn-admin COMMAND')
})

test('the program writes to the right streams and ends with the code', async () => {
  const child = startAdmin({ CAIRN_HOME: '/nonexistent/cairn' }, 'audit')
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  expect(await once(child, 'close')).toEqual([78, null])
  expect(output).toContain('There is no database at /nonexistent/cairn')
})
