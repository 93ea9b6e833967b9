import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { openSeed, sealSeed } from '../names/names.ts'
import { openWebhookSecret, sealSecret } from '../webhooks/webhooks.ts'

/** A secret of the service and its id. */
export type NamedSecret = { id: string; secret: Uint8Array }

/** Rows of one table that are sealed with a secret of the service. */
export type SealedRows = {
  /** Describes a row that is sealed with none of these secrets. */
  findForeign(db: Kysely<Schema>, secretIds: readonly string[]): Promise<string | undefined>
  count(db: Kysely<Schema>, secretId: string): Promise<number>
  /** Seals the next rows again, in one unit of work. Returns how many. */
  sealNext(db: Database, from: NamedSecret, to: NamedSecret): Promise<number>
}

/** Number of rows sealed again per unit of work; small, so that other units wait only briefly. */
const rowsAtOnce = 20

async function countSealed(db: Kysely<Schema>, table: 'name_entry' | 'webhook', secretId: string): Promise<number> {
  const { rows } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll().as('rows'))
    .where('secret_id', '=', secretId)
    .executeTakeFirstOrThrow()
  return Number(rows)
}

const nameKeys: SealedRows = {
  async findForeign(db, secretIds) {
    const row = await db
      .selectFrom('name_entry')
      .select('name')
      .where('secret_id', 'not in', secretIds)
      .executeTakeFirst()
    return row === undefined ? undefined : `The key of ${row.name}`
  },
  count: (db, secretId) => countSealed(db, 'name_entry', secretId),
  async sealNext(db, from, to) {
    const rows = await db.read
      .selectFrom('name_entry')
      .select(['id', 'address', 'name', 'seal'])
      .where('secret_id', '=', from.id)
      .where('seal', 'is not', null)
      .limit(rowsAtOnce)
      .execute()
    await db.write(async (trx) => {
      for (const { id, seal, ...subject } of rows) {
        if (seal === null) continue
        await trx
          .updateTable('name_entry')
          .set({ seal: sealSeed(to.secret, subject, openSeed(from.secret, subject, seal)), secret_id: to.id })
          .where('id', '=', id)
          // A concurrent run may have sealed it.
          .where('secret_id', '=', from.id)
          .execute()
      }
    })
    return rows.length
  },
}

const webhookSecrets: SealedRows = {
  async findForeign(db, secretIds) {
    const row = await db.selectFrom('webhook').select('id').where('secret_id', 'not in', secretIds).executeTakeFirst()
    return row === undefined ? undefined : `The secret of webhook ${row.id}`
  },
  count: (db, secretId) => countSealed(db, 'webhook', secretId),
  async sealNext(db, from, to) {
    const rows = await db.read
      .selectFrom('webhook')
      .select(['id', 'address', 'seal', 'secret_id'])
      .where('secret_id', '=', from.id)
      .limit(rowsAtOnce)
      .execute()
    await db.write(async (trx) => {
      for (const row of rows) {
        const bytes = openWebhookSecret({ secret: from.secret, secondarySecret: undefined }, row)
        await trx
          .updateTable('webhook')
          .set(sealSecret(to.secret, row, bytes))
          .where('id', '=', row.id)
          // A concurrent run may have sealed it.
          .where('secret_id', '=', from.id)
          .execute()
      }
    })
    return rows.length
  },
}

/** Every table with sealed rows. */
export const sealedRows: readonly SealedRows[] = [nameKeys, webhookSecrets]
