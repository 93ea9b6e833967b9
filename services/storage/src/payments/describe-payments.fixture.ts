import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { GIB } from '@cairn/protocol'
import { databaseKinds } from '@cairn/service/on-databases-fixture'
import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, afterEach, beforeAll, beforeEach, describe } from 'vitest'
import { type Database, migrations, openDatabase } from '../db/database.ts'
import { writeMigratedFile } from '../db/migrated-file.fixture.ts'
import { type PaymentChain, startPaymentChain } from './payment-chain.fixture.ts'
import { openBooks, openFollower } from './payment-context.fixture.ts'

/** The chain and the empty books of a test. */
export type PaymentSubject = Omit<ReturnType<typeof openBooks>, 'expectRight'> & {
  readonly place: PaymentChain
  readonly db: Database
  readonly clock: { ms: number }
  /** Creates a follower with its own settings, as on a replica. */
  follow(network?: Record<string, unknown>, requireLease?: () => Promise<void>): ReturnType<typeof openFollower>
  expectBooksRight(): Promise<void>
}

const freeBytes = 5 * GIB

/**
 * Describes tests of payments on each database of this run, whose kind replaces `%s` in the title. They share one chain, which
 * each finds as it was after its start.
 * @param tests gets a function that returns the subject of the current test
 */
export function describePayments(title: string, tests: (subject: () => PaymentSubject) => void): void {
  let place: PaymentChain
  let snapshot: `0x${string}`
  let postgres: PostgresFixture
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-payments-'))
    ;[place, postgres] = await Promise.all([startPaymentChain(), startPostgres(migrations)])
    snapshot = await place.chain.miner.snapshot()
  })
  afterAll(async () => {
    await place?.[Symbol.asyncDispose]()
    await postgres?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  let count = 0
  const kinds = {
    sqlite: async () => {
      const path = join(folder, `${count++}.sqlite`)
      await writeMigratedFile(path)
      return openDatabase({ kind: 'sqlite', path })
    },
    postgres: async () => openDatabase({ kind: 'postgres', url: await postgres.createDatabase() }),
  }
  describe.each(databaseKinds)(title, (kind) => {
    let subject: PaymentSubject
    beforeEach(async () => {
      try {
        await place.chain.miner.revert({ id: snapshot })
      } catch {
        // A reorganisation removed the snapshot with its blocks.
        await place[Symbol.asyncDispose]()
        place = await startPaymentChain()
      }
      snapshot = await place.chain.miner.snapshot()
      const db = await kinds[kind]()
      const clock = { ms: Date.now(), now: () => clock.ms }
      const { expectRight, ...books } = openBooks(db)
      const current = place
      subject = {
        ...books,
        place,
        db,
        clock,
        follow(network = {}, requireLease) {
          const environment = {
            CAIRN_HOME: folder,
            CAIRN_PAYMENTS: current.settings(network),
            CAIRN_FREE_BYTES: String(freeBytes),
          }
          return openFollower(db, clock, environment, requireLease)
        },
        expectBooksRight: expectRight,
      }
    })
    afterEach(() => subject.db.close())
    tests(() => subject)
  })
}
