import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRecord, type NameKey } from '@cairn/names'
import type { DatabaseSettings } from '@cairn/service'
import { createLogGate } from '@cairn/service'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import { type Database, migrations, openDatabase } from '../db/database.ts'
import * as names from './names.ts'
import type { NamesContext } from './names-context.ts'

/** The accounts of tests. */
export const alice = '0x00000000000000000000000000000000000000aa'
export const bob = '0x00000000000000000000000000000000000000bb'
/** A CID that names lead to. */
export const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
export const hour = 3_600_000
export const day = 24 * hour
const testSecret = new Uint8Array(32).fill(9)

/** Any number of replicas on one database, with one clock that the test controls. */
export type NamesPlace = {
  readonly settings: DatabaseSettings
  readonly clock: { ms: number; now(): number }
  /** Opens another replica; it is closed with the place. */
  replica(secret?: Uint8Array): Promise<NamesContext>
  [Symbol.asyncDispose](): Promise<void>
}

/** Databases of either kind for one test file. */
export async function startDatabases(): Promise<{
  open(kind: 'sqlite' | 'postgres'): Promise<NamesPlace>
  stop(): Promise<void>
}> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-names-'))
  const postgres: PostgresFixture = await startPostgres(migrations)
  let count = 0
  return {
    async open(kind) {
      const settings: DatabaseSettings =
        kind === 'sqlite'
          ? { kind, path: join(folder, `${count++}.sqlite`) }
          : { kind, url: await postgres.createDatabase() }
      const open: Database[] = []
      const clock = { ms: Date.now(), now: () => clock.ms }
      const first = await openDatabase(settings)
      open.push(first)
      for (const address of [alice, bob]) {
        await first.write((trx) =>
          trx
            .insertInto('account')
            .values({ address, created_at: 0, data_limit_bytes: 0, data_used_bytes: 0, reserved_bytes: 0 })
            .execute(),
        )
      }
      return {
        settings,
        clock,
        async replica(secret = testSecret) {
          const db = await openDatabase(settings)
          open.push(db)
          const log = pino({ level: 'silent' })
          return { db, clock, log, failures: createLogGate({ clock, log }), secret }
        },
        async [Symbol.asyncDispose]() {
          for (const db of open) await db.close()
        },
      }
    },
    async stop() {
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The database of a test and a replica on it. */
export type NamesSubject = {
  readonly place: NamesPlace
  readonly context: NamesContext
  /** Signs a record as the owner of a key does, with the clock of the test. */
  sign(key: NameKey, sequence: bigint, options?: { value?: string; lifetimeMs?: number }): Promise<Uint8Array>
  /** Publishes a CID under a name of Alice. */
  publish(id: string, value?: string, from?: NamesContext): ReturnType<typeof names.publishName>
}

/**
 * Describes tests of names on each database of this run, whose kind replaces `%s` in the title.
 * @param tests gets a function that returns the subject of the current test
 */
export function describeNames(title: string, tests: (subject: () => NamesSubject) => void): void {
  let databases: Awaited<ReturnType<typeof startDatabases>>
  beforeAll(async () => {
    databases = await startDatabases()
  })
  afterAll(() => databases?.stop())
  describe.each(databaseKinds)(title, (kind) => {
    let subject: NamesSubject
    beforeEach(async () => {
      const place = await databases.open(kind)
      const context = await place.replica()
      subject = {
        place,
        context,
        sign: (key, sequence, options = {}) =>
          createRecord(key, {
            value: options.value ?? `/ipfs/${cid}`,
            sequence,
            lifetimeMs: options.lifetimeMs ?? day,
            ttlMs: 60_000,
            now: place.clock.ms,
          }),
        publish: (id, value = cid, from = context) => names.publishName(from, alice, id, { value }),
      }
    })
    afterEach(() => subject.place[Symbol.asyncDispose]())
    tests(() => subject)
  })
}
