import { type PostgresFixture, startPostgres } from '@cairn/service/postgres-fixture'
import { afterAll, beforeAll, describe } from 'vitest'
import { migrations } from './db/database.ts'

/**
 * Describes tests once on SQLite and once on PostgreSQL, which replaces `%s` in the title.
 * @param tests gets a function that returns the settings of a service on an empty database
 */
export function describeOnDatabases(
  title: string,
  tests: (newDatabase: () => Promise<Record<string, string>>) => void,
): void {
  let postgres: PostgresFixture | undefined
  beforeAll(async () => {
    postgres = await startPostgres(migrations)
  })
  afterAll(() => postgres?.stop())
  describe.each(['sqlite', 'postgres'] as const)(title, (kind) => {
    tests(async () => {
      if (kind === 'sqlite' || postgres === undefined) return {}
      return { CAIRN_DATABASE_URL: await postgres.createDatabase() }
    })
  })
}
