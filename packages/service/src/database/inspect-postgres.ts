import pg from 'pg'
import { connectionSettings } from './connection-settings.ts'
import { deniedAccess, describeFailedOpening, describePostgresError } from './postgres-errors.ts'
import type { MigrationRow } from './types.ts'

const timeoutMs = 5000

/**
 * Returns the migrations of a PostgreSQL database; none if it has no tables yet.
 * @throws CairnError UNAVAILABLE; INVALID_CONFIGURATION if the user of the URL may not create tables
 */
export async function inspectPostgres(url: string): Promise<MigrationRow[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    ...connectionSettings,
    application_name: 'cairn',
  })
  // A connection that dies fails the query below.
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ found: string | null; may_create: boolean | null }>(
      "select to_regclass('migration')::text as found, has_schema_privilege(current_schema(), 'create') as may_create",
    )
    if (rows[0]?.may_create !== true) throw deniedAccess(new Error('permission denied to create tables'))
    if (rows[0].found === null) return []
    return (await client.query<MigrationRow>('select * from migration order by name')).rows
  } catch (error) {
    throw describeFailedOpening(describePostgresError(error))
  } finally {
    await client.end()
  }
}
