import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDependencies, createLogGate, createRateLimiter, type DatabaseSettings } from '@cairn/service'
import { openFileStore } from '@cairn/service/objects'
import Fastify from 'fastify'
import { authorizeCall } from '../accounts/authorize.ts'
import { readConfig } from '../config.ts'
import type { Clock, Context } from '../context.ts'
import { openDatabase } from '../db/database.ts'
import { writeMigratedFile } from '../db/migrated-file.fixture.ts'
import { createEgress } from '../egress/egress.ts'
import { createStorageMetrics } from '../metrics.ts'
import { createDenylist } from '../moderation/denylist.ts'
import { createPackStore } from '../packs/packs.ts'
import { describeHowToPay } from '../payments/payments.ts'
import { createPartMemory, derivePartMemory } from '../resources/part-memory.ts'
import { createUserPriority } from '../resources/user-priority.ts'
import type { WorkerClock } from '../workers/worker.ts'

/** The account that tests upload to. */
export const testAddress = '0x00000000000000000000000000000000000000aa'

/** Context of an upload test. */
export type TestContext = {
  context: Context
  home: string
  /** Used and reserved bytes of the account, and its number of uploads. */
  account(): Promise<{ used: number; reserved: number; uploads: number }>
  /** What a failed upload must leave unchanged. */
  leftovers(): Promise<{ uploads: number; packs: number; blocks: number; reservations: number; objects: string[] }>
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens a real database and pack store in a temporary folder, with one account. */
export async function openTestContext(
  limitBytes: number,
  env: Record<string, string> = {},
  parts: { database?: DatabaseSettings; clock?: Clock; priorityClock?: WorkerClock } = {},
): Promise<TestContext> {
  const home = await mkdtemp(join(tmpdir(), 'cairn-uploads-'))
  const config = readConfig({ CAIRN_HOME: home, CAIRN_FREE_DISK_RESERVE: '0', ...env })
  const path = join(home, 'test.sqlite')
  if (parts.database === undefined) await writeMigratedFile(path)
  const db = await openDatabase(parts.database ?? { kind: 'sqlite', path })
  const objects = await openFileStore(join(home, 'packs'))
  const clock = parts.clock ?? { now: () => Date.now() }
  const userPriority = createUserPriority(parts.priorityClock)
  const packs = createPackStore({ db, objects, clock, onWrite: userPriority.noteTransfer })
  const log = Fastify({ logger: false }).log
  const context: Context = {
    config,
    db,
    packs,
    objects,
    clock,
    log,
    failures: createLogGate({ clock, log }),
    dependencies: createDependencies({ clock, log }),
    metrics: createStorageMetrics(),
    rates: createRateLimiter(0, clock),
    keyNodeUrls: [],
    egress: createEgress({ db, clock }),
    partMemory: createPartMemory(derivePartMemory()),
    userPriority,
    secret: new Uint8Array(32),
    secondarySecret: undefined,
    denylist: createDenylist(undefined),
    queryContract: undefined,
    authorize: (request, call) => authorizeCall(context, request, call),
    describeHowToPay: (reader, missingBytes) => describeHowToPay(reader, config.payments, missingBytes),
    processId: 'test',
  }
  await db.write((trx) =>
    trx
      .insertInto('account')
      .values({
        address: testAddress,
        created_at: 0,
        data_limit_bytes: limitBytes,
        data_used_bytes: 0,
        reserved_bytes: 0,
        free_bytes: limitBytes,
      })
      .execute(),
  )
  const count = async (table: 'upload' | 'pack' | 'block' | 'reservation'): Promise<number> => {
    const row = await db.read
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow()
    return Number(row.rows)
  }
  return {
    context,
    home,
    async account() {
      const row = await db.read.selectFrom('account').selectAll().executeTakeFirstOrThrow()
      return { used: row.data_used_bytes, reserved: row.reserved_bytes, uploads: row.upload_count }
    },
    async leftovers() {
      const keys: string[] = []
      for await (const key of objects.list('')) keys.push(key)
      return {
        uploads: await count('upload'),
        packs: await count('pack'),
        blocks: await count('block'),
        reservations: await count('reservation'),
        objects: keys,
      }
    },
    async [Symbol.asyncDispose]() {
      await db.close()
      await objects.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}
