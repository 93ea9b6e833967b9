import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, unlinkSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { CairnError } from '@cairn/protocol'
import { ConflictError, inspectDatabase, type Migration, openDatabase as open, runAgain } from '@cairn/service'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, migrations, openDatabase } from './database.ts'
import type { Schema } from './schema.ts'
import { databaseSuite } from './store.suite.ts'

async function freshFile() {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-db-'))
  const path = join(folder, 'deep', 'cairn.sqlite')
  return {
    path,
    open: () => openDatabase({ kind: 'sqlite', path }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

databaseSuite('SQLite', freshFile)

test('a database of the previous version keeps its keys, and its free storage is counted', async () => {
  const place = await freshFile()
  const before = await open<Schema>({ kind: 'sqlite', path: place.path }, { migrations: migrations.slice(0, 7) })
  await before.write(async (trx) => {
    const account = (address: string, limit: number, used: number, reserved: number) =>
      sql`insert into account (address, created_at, data_limit_bytes, data_used_bytes, reserved_bytes)
        values (${address}, 1, ${limit}, ${used}, ${reserved})`.execute(trx)
    await account('free', 100, 30, 12)
    await account('paying', 150, 70, 0)
    await account('paid', 500, 90, 10)
    for (const [address, kind, bytes] of [
      ['free', 'allowance', 100],
      ['paying', 'allowance', 100],
      ['paying', 'payment', 50],
      ['paid', 'adjustment', 500],
    ])
      await sql`insert into ledger_entry (id, address, kind, cause, bytes, note, created_at)
        values (${`${address}${kind}`}, ${address}, ${kind}, ${`${address}${kind}`}, ${bytes}, '', 1)`.execute(trx)
    await sql`insert into api_key (id, address, name, secret_hash, scopes, created_at)
      values ('old', 'free', 'x', ${Buffer.alloc(32)}, '["files:read","files:write","account"]', 1)`.execute(trx)
    await sql`insert into challenge (nonce, address, purpose, message, created_at, expires_at)
      values ('n', 'free', 'api-key', 'm', 1, 2)`.execute(trx)
  })
  await before.close()
  await using db = await place.open()
  const accounts = await db.read.selectFrom('account').select(['address', 'free_bytes']).orderBy('address').execute()
  expect(accounts).toEqual([
    { address: 'free', free_bytes: 100 },
    { address: 'paid', free_bytes: 0 },
    { address: 'paying', free_bytes: 100 },
  ])
  expect(await db.read.selectFrom('free_storage').selectAll().execute()).toEqual([{ one: 1, used_bytes: 42 + 20 }])
  const keys = await db.read.selectFrom('api_key').select(['scopes', 'expires_at', 'revoked_at']).execute()
  expect(keys).toEqual([{ scopes: '["files:read","files:write","account"]', expires_at: null, revoked_at: null }])
  expect(await db.read.selectFrom('challenge').select(['purpose', 'key_grant']).execute()).toEqual([
    { purpose: 'api-key', key_grant: null },
  ])
  await db.close()
  await place.remove()
})

const addLease = (db: Database, name: string) =>
  db.write((trx) => trx.insertInto('lease').values({ name, owner: 'x', expires_at: 1, fence: 1 }).execute())
const isUnavailable = (error: unknown) => CairnError.is(error, 'UNAVAILABLE')

describe('SQLite only', () => {
  test.each([
    ['removed', async (path: string) => unlinkSync(path)],
    ['replaced by another file', async (path: string) => rename(path, `${path}.old`).then(() => writeFile(path, ''))],
    ['left without its log', async (path: string) => unlinkSync(`${path}-wal`)],
  ])('detects a file that was %s: the service is not ready and acknowledges nothing', async (_how, lose) => {
    const place = await freshFile()
    await using db = await place.open()
    await addLease(db, 'before')
    await db.ping()
    await lose(place.path)
    await expect(db.ping()).rejects.toSatisfy(isUnavailable)
    await expect(addLease(db, 'after')).rejects.toSatisfy(isUnavailable)
    await place.remove()
  })

  test('does not acknowledge a unit whose file is removed meanwhile, and recovers when the file is back', async () => {
    const place = await freshFile()
    await using db = await place.open()
    const cut = db.write(async (trx) => {
      renameSync(place.path, `${place.path}.away`)
      await trx.insertInto('lease').values({ name: 'cut', owner: 'x', expires_at: 1, fence: 1 }).execute()
    })
    await expect(cut).rejects.toSatisfy(isUnavailable)
    await rename(`${place.path}.away`, place.path)
    await addLease(db, 'later')
    await db.ping()
    await place.remove()
  })

  test('a file that cannot be opened for lack of file descriptors says so', async () => {
    const place = await freshFile()
    const program = `
      import { openSync } from 'node:fs'
      import { openDatabase } from ${JSON.stringify(join(import.meta.dirname, 'database.ts'))}
      const kind = 'sqlite'
      await (await openDatabase({ kind, path: ${JSON.stringify(`${place.path}.first`)} })).close()
      const files = []
      try { for (;;) files.push(openSync('/dev/null')) } catch {}
      const { closeSync } = await import('node:fs')
      for (const file of files.slice(0, 2)) closeSync(file)
      await openDatabase({ kind, path: ${JSON.stringify(place.path)} }).then(
        () => console.log('opened'),
        ({ message, hint }) => console.log(message, hint),
      )`
    const limited = `ulimit -n 200 && exec "$0" --conditions=@cairn/source --disable-warning=ExperimentalWarning --input-type=module -e "$1"`
    const child = spawn('bash', ['-c', limited, process.execPath, program], { stdio: ['ignore', 'pipe', 'inherit'] })
    let printed = ''
    child.stdout.on('data', (bytes: Buffer) => {
      printed += bytes.toString()
    })
    await once(child, 'close')
    expect(printed).toContain(`${place.path} cannot be opened: too many open files Raise the limit of open files`)
    await place.remove()
  })

  test('a unit after the end of the service does not report its file as removed', async () => {
    const place = await freshFile()
    const db = await place.open()
    await addLease(db, 'before')
    await db.close()
    const isStopping = { code: 'UNAVAILABLE', message: 'The service is stopping' }
    await expect(addLease(db, 'late')).rejects.toMatchObject(isStopping)
    await expect(db.ping()).rejects.toMatchObject(isStopping)
    await place.remove()
  })

  test('a unit that fails over what another one of its group wrote fails after that is committed', async () => {
    const place = await freshFile()
    await using db = await place.open()
    const written = addLease(db, 'taken')
    const refused = db.write(async (trx) => {
      if ((await trx.selectFrom('lease').select('name').execute()).length > 0) throw new CairnError('CONFLICT')
    })
    const more = db.write(async (trx) => {
      for (let count = 0; count < 100; count++) await trx.selectFrom('lease').select('name').execute()
    })
    const error = await refused.catch((thrown: unknown) => thrown)
    expect(CairnError.is(error, 'CONFLICT')).toBe(true)
    expect(await db.read.selectFrom('lease').select('name').execute()).toEqual([{ name: 'taken' }])
    await Promise.all([written, more])
    await place.remove()
  })

  test('only the owner can read its files, also those of an earlier version', async () => {
    const place = await freshFile()
    const umask = process.umask(0o022)
    try {
      await using first = await place.open()
      await addLease(first, 'first')
      const modes = async () => {
        const names = await readdir(dirname(place.path))
        return Promise.all(names.map(async (name) => (await stat(join(dirname(place.path), name))).mode & 0o777))
      }
      expect(await modes()).toEqual([0o600, 0o600, 0o600])
      await first.close()
      await chmod(place.path, 0o644)
      await using second = await place.open()
      await addLease(second, 'second')
      expect(await modes()).toEqual([0o600, 0o600, 0o600])
    } finally {
      process.umask(umask)
    }
    await place.remove()
  })

  test('moves its log to the database after 16 MiB, not before and not much later', async () => {
    const place = await freshFile()
    await using db = await place.open()
    const sizeOf = async (path: string) => (await stat(path)).size
    await db.write((trx) => sql`create table filling (bytes blob)`.execute(trx))
    const fill = (mebibytes: number) =>
      db.write((trx) => sql`insert into filling values (zeroblob(${mebibytes * 1_048_576}))`.execute(trx))
    const before = await sizeOf(place.path)
    for (let written = 0; written < 12; written += 4) await fill(4)
    expect(await sizeOf(place.path)).toBe(before)
    expect(await sizeOf(`${place.path}-wal`)).toBeGreaterThan(12 * 1_048_576)
    for (let written = 0; written < 40; written += 4) await fill(4)
    expect(await sizeOf(place.path)).toBeGreaterThan(before + 32 * 1_048_576)
    expect(await sizeOf(`${place.path}-wal`)).toBeLessThan(24 * 1_048_576)
    await place.remove()
  })

  test('a reader cannot write', async () => {
    const place = await freshFile()
    await using db = await place.open()
    const write = db.read.deleteFrom('account').execute()
    await expect(write).rejects.toSatisfy((error) => CairnError.is(error, 'UNAVAILABLE'))
    await place.remove()
  })

  test('two processes write to one file, and neither loses a row', async () => {
    const place = await freshFile()
    await using db = await place.open()
    const program = `
      import { openDatabase } from ${JSON.stringify(import.meta.resolve('./database.ts'))}
      const db = await openDatabase({ kind: 'sqlite', path: ${JSON.stringify(place.path)} })
      for (let at = 0; at < 300; at++) {
        await db.write((trx) => trx.insertInto('lease').values({ name: 'child' + at, owner: 'x', expires_at: 1, fence: 1 }).execute())
      }
      await db.close()`
    const child = spawn(process.execPath, ['--conditions=@cairn/source', '--input-type=module', '-e', program], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const ended = once(child, 'exit')
    for (let at = 0; at < 300; at++) {
      await db.write((trx) =>
        trx
          .insertInto('lease')
          .values({ name: `own${at}`, owner: 'x', expires_at: 1, fence: 1 })
          .execute(),
      )
    }
    expect((await ended)[0]).toBe(0)
    const { count } = await db.read
      .selectFrom('lease')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    expect(count).toBe(600)
    await place.remove()
  })

  test('a unit waits for another process that holds the write lock, without stopping the event loop', async () => {
    const place = await freshFile()
    await using db = await place.open()
    const worker = new Worker(
      `const { DatabaseSync } = require('node:sqlite'); const { parentPort } = require('node:worker_threads')
      const db = new DatabaseSync(${JSON.stringify(place.path)})
      db.exec('BEGIN IMMEDIATE')
      parentPort.postMessage('locked')
      parentPort.once('message', () => { db.exec('COMMIT'); db.close(); parentPort.close() })`,
      { eval: true },
    )
    await once(worker, 'message')
    const unit = db.write((trx) =>
      trx.insertInto('lease').values({ name: 'a', owner: 'x', expires_at: 1, fence: 1 }).execute(),
    )
    // Only a running event loop can ask the other side to release the lock.
    const ended = once(worker, 'exit')
    setImmediate(() => worker.postMessage('go on'))
    await unit
    await ended
    expect(await db.read.selectFrom('lease').select('name').execute()).toEqual([{ name: 'a' }])
    await place.remove()
  })
})

describe('conflicts', () => {
  test('are retried at most five times, and then reported', async () => {
    let tries = 0
    const third = runAgain(async () => {
      if (++tries < 3) throw new ConflictError('again')
      return 'done'
    })
    await expect(third).resolves.toBe('done')
    tries = 0
    const never = runAgain(async () => {
      tries++
      throw new ConflictError('again')
    })
    await expect(never).rejects.toSatisfy((error) => CairnError.is(error, 'CONFLICT'))
    expect(tries).toBe(5)
  })

  test('are the only retried errors', async () => {
    let tries = 0
    const failing = runAgain(async () => {
      tries++
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(tries).toBe(1)
  })
})

describe('on PostgreSQL', () => {
  let server: PostgresFixture
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  databaseSuite('PostgreSQL', async () => {
    const url = await server.createDatabase()
    return { open: () => openDatabase({ kind: 'postgres', url, poolSize: 8 }), remove: async () => undefined }
  })

  test('two units in a deadlock both complete', async () => {
    await using db = await openDatabase({ kind: 'postgres', url: await server.createDatabase() })
    const lease = (name: string) => ({ name, owner: 'x', expires_at: 1, fence: 0 })
    await db.write((trx) =>
      trx
        .insertInto('lease')
        .values([lease('a'), lease('b')])
        .execute(),
    )
    let arrived = 0
    let open: () => void = () => undefined
    const both = new Promise<void>((resolve) => {
      open = resolve
    })
    let tries = 0
    const crossed = (first: string, second: string) =>
      db.write(async (trx) => {
        tries++
        const bump = (name: string) =>
          trx
            .updateTable('lease')
            .set((eb) => ({ fence: eb('fence', '+', 1) }))
            .where('name', '=', name)
            .execute()
        await bump(first)
        if (++arrived === 2) open()
        await both
        await bump(second)
      })
    await Promise.all([crossed('a', 'b'), crossed('b', 'a')])
    expect(tries).toBe(3)
    expect(await db.read.selectFrom('lease').select('fence').execute()).toEqual([{ fence: 2 }, { fence: 2 }])
  })

  test('a migration of a large table has no time limit, unless it waits for a table that others use', async () => {
    const limits: Migration = {
      name: '0001_limits',
      change: 'expand',
      statements: () => [
        `create table limits as
          select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
      ],
    }
    const settings = { kind: 'postgres' as const, url: await server.createDatabase() }
    await using empty = await open<Schema>(settings, { migrations: [] })
    // An operator may limit all statements of a role or a database.
    const name = sql.id(new URL(settings.url).pathname.slice(1))
    await sql`alter database ${name} set statement_timeout = '10s'`.execute(empty.read)
    await using db = await open<Schema>(settings, { migrations: [limits] })
    const { rows } = await sql`select statement, lock from limits
      union all select current_setting('statement_timeout'), current_setting('lock_timeout')`.execute(db.read)
    expect(rows).toEqual([
      { statement: '0', lock: '30s' },
      { statement: '30s', lock: '0' },
    ])
  })

  test('a server that does not answer is UNAVAILABLE, and the pool recovers when it does', async () => {
    await using db = await openDatabase({ kind: 'postgres', url: await server.createDatabase() })
    const isUnavailable = (error: unknown) =>
      CairnError.is(error, 'UNAVAILABLE') && error.retryAfterSeconds !== undefined
    const killed = db.write(async (trx) => {
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(trx)
    })
    await expect(killed).rejects.toSatisfy(isUnavailable)
    await db.ping()
    expect(await db.read.selectFrom('account').selectAll().execute()).toEqual([])
  })

  test('a server that rejects writes is ready for reads only, and a new connection replaces the one to it', async () => {
    await using db = await openDatabase({ kind: 'postgres', url: await server.createDatabase(), poolSize: 1 })
    // The only connection of the pool, as if it led to a standby. A new one leads to the primary.
    const becomeStandby = () => sql`set default_transaction_read_only = on`.execute(db.read)
    const isUnavailable = { code: 'UNAVAILABLE', retryAfterSeconds: 5 }
    await becomeStandby()
    await db.ping('reads')
    expect(await db.read.selectFrom('account').selectAll().execute()).toEqual([])
    await expect(db.ping()).rejects.toMatchObject({
      ...isUnavailable,
      message: expect.stringContaining('rejects writes'),
    })
    await db.ping()

    await becomeStandby()
    await expect(addLease(db, 'first')).rejects.toMatchObject(isUnavailable)
    await addLease(db, 'second')
    expect(await db.read.selectFrom('lease').select('name').execute()).toEqual([{ name: 'second' }])
  })

  test('a pooler that refuses a setting is reported with its own setting, also before a start', async () => {
    const refusal = ['SFATAL', 'VFATAL', 'C08P01', 'Munsupported startup parameter: statement_timeout', ''].join('\0')
    await using pooler = createServer((socket) => {
      socket.once('data', (bytes) => {
        const length = Buffer.alloc(4)
        length.writeInt32BE(4 + refusal.length + 1)
        const isRefused = bytes.includes('statement_timeout')
        socket.end(isRefused ? Buffer.concat([Buffer.from('E'), length, Buffer.from(`${refusal}\0`)]) : '')
      })
    }).listen(0, '127.0.0.1')
    await once(pooler, 'listening')
    const address = pooler.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const settings = { kind: 'postgres' as const, url: `postgres://cairn@127.0.0.1:${port}/cairn` }
    const expected = {
      code: 'UNAVAILABLE',
      message: 'PostgreSQL is not available: unsupported startup parameter: statement_timeout',
      hint: 'Add statement_timeout, idle_in_transaction_session_timeout, options to ignore_startup_parameters of the pooler (docs/operate/scale.md).',
    }
    await expect(openDatabase(settings)).rejects.toMatchObject(expected)
    await expect(inspectDatabase(settings)).rejects.toMatchObject(expected)
  })

  test('a user who may not create tables in the database is reported, also before a start', async () => {
    const url = new URL(await server.createDatabase())
    const name = `guest_${url.pathname.slice(1)}`
    await using admin = await open<Schema>({ kind: 'postgres', url: url.href }, { migrations: [] })
    // The default of PostgreSQL for a database that another user owns.
    await sql`revoke create on schema public from public`.execute(admin.read)
    const user = sql.id(name)
    await sql`create role ${user} login password 'guest'`.execute(admin.read)
    Object.assign(url, { username: name, password: 'guest' })
    const settings = { kind: 'postgres' as const, url: url.href }
    const expected = { code: 'INVALID_CONFIGURATION', hint: expect.stringContaining('the owner of the database') }
    try {
      await expect(openDatabase(settings)).rejects.toMatchObject(expected)
      await expect(inspectDatabase(settings)).rejects.toMatchObject(expected)
    } finally {
      await sql`drop role ${user}`.execute(admin.read)
    }
  })

  test('a server that does not exist is UNAVAILABLE', async () => {
    const opening = openDatabase({ kind: 'postgres', url: 'postgres://cairn@127.0.0.1:1/none' })
    await expect(opening).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: 'PostgreSQL is not available: connect ECONNREFUSED 127.0.0.1:1',
      hint: expect.stringContaining('check the URL'),
    })
  })
})
