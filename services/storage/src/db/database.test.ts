import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { CairnError } from '@cairn/protocol'
import { ConflictError, runAgain } from '@cairn/service'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from './database.ts'
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

describe('SQLite only', () => {
  test('the reading side cannot write', async () => {
    const place = await freshFile()
    await using db = await place.open()
    const write = db.read.deleteFrom('account').execute()
    await expect(write).rejects.toSatisfy((error) => CairnError.is(error, 'UNAVAILABLE'))
    await place.remove()
  })

  test('two processes write into one file and neither loses a row', async () => {
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
    // Only a running event loop can ask the other side to let go.
    const ended = once(worker, 'exit')
    setImmediate(() => worker.postMessage('go on'))
    await unit
    await ended
    expect(await db.read.selectFrom('lease').select('name').execute()).toEqual([{ name: 'a' }])
    await place.remove()
  })
})

describe('conflicts', () => {
  test('are tried again, at most five times, and then reported', async () => {
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

  test('other errors are not', async () => {
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

  test('two units that lock each other out both end well', async () => {
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

  test('a server that is not there is UNAVAILABLE', async () => {
    const opening = openDatabase({ kind: 'postgres', url: 'postgres://cairn@127.0.0.1:1/none' })
    await expect(opening).rejects.toSatisfy((error) => CairnError.is(error, 'UNAVAILABLE'))
  })
})
