import { type CallResult, type listKeys, maxKeyListRows } from '@cairn/protocol'
import type { Context } from '../context.ts'

type Page = CallResult<typeof listKeys>

const defaultRows = 100

/** Returns a page of the files that an address owns, or that are shared with it, in CID order. */
export async function listRecords(
  { db }: Context,
  address: string,
  {
    role,
    after = '',
    limit = defaultRows,
  }: { role: 'owner' | 'recipient'; after?: string | undefined; limit?: number | undefined },
): Promise<Page> {
  const maxRows = Math.min(limit, maxKeyListRows)
  const columns = ['key.cid', 'cid_as_given', 'owner', 'conditions', 'state', 'key.created_at', 'updated_at'] as const
  const rows =
    role === 'owner'
      ? await db.read
          .selectFrom('key')
          .select(columns)
          .where('owner', '=', address)
          .where('cid', '>', after)
          .orderBy('cid')
          .limit(maxRows + 1)
          .execute()
      : await db.read
          .selectFrom('shared')
          .innerJoin('key', 'key.cid', 'shared.cid')
          .select(columns)
          .where('shared.address', '=', address)
          .where('state', '!=', 'retired')
          // By the columns of the index, so that a page costs the same however many files are shared with the address.
          .where('shared.cid', '>', after)
          .orderBy('shared.cid')
          .limit(maxRows + 1)
          .execute()
  const page = rows.slice(0, maxRows)
  const shared =
    role === 'owner'
      ? await findShared(
          db.read,
          page.map(({ cid }) => cid),
        )
      : new Map<string, string[]>()
  return {
    files: page.map((row) => ({
      cid: row.cid_as_given,
      owner: row.owner,
      sharedTo: shared.get(row.cid) ?? [],
      hasConditions: row.conditions !== null,
      state: row.state,
      createdAt: row.created_at,
      updatedAt: row.updated_at,
    })),
    next: rows.length > maxRows ? (page.at(-1)?.cid ?? null) : null,
  }
}

async function findShared(db: Context['db']['read'], cids: string[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  if (cids.length === 0) return found
  const rows = await db
    .selectFrom('shared')
    .select(['cid', 'address'])
    .where('cid', 'in', cids)
    .orderBy('address')
    .execute()
  for (const { cid, address } of rows) found.set(cid, [...(found.get(cid) ?? []), address])
  return found
}
