import { afterAll, beforeAll, describe } from 'vitest'
import type { Migration } from './migration.ts'
import { type PostgresFixture, startPostgres } from './postgres.fixture.ts'

export type DatabaseKind = 'sqlite' | 'postgres'

/**
 * Databases that this run uses for tests that are the same on each. The ring sets them: `npm test` uses SQLite, and
 * `npm run test:thorough` runs the same files on PostgreSQL (docs/testing.md).
 */
export const databaseKinds: readonly DatabaseKind[] = readKinds(process.env['CAIRN_TEST_DATABASES'])

function readKinds(value: string | undefined): DatabaseKind[] {
  if (value === undefined) return ['sqlite', 'postgres']
  if (value === 'sqlite' || value === 'postgres') return [value]
  throw new Error(`CAIRN_TEST_DATABASES must be sqlite or postgres, not ${value}`)
}

/**
 * Describes tests on each database of this run, whose kind replaces `%s` in the title.
 * @param tests gets a function that returns the settings of a service on an empty database, and the kind of database
 */
export type DescribeOnDatabases = (
  title: string,
  tests: (newDatabase: () => Promise<Record<string, string>>, kind: DatabaseKind) => void,
) => void

/**
 * @param migrations of the service, for its databases on PostgreSQL
 * @param setting that has the URL of its database
 */
export function createDescribe(migrations: readonly Migration[], setting: string): DescribeOnDatabases {
  return (title, tests) =>
    describe.each(databaseKinds)(title, (kind) => {
      let postgres: PostgresFixture | undefined
      beforeAll(async () => {
        if (kind === 'postgres') postgres = await startPostgres(migrations)
      })
      afterAll(() => postgres?.stop())
      tests(async () => (postgres === undefined ? {} : { [setting]: await postgres.createDatabase() }), kind)
    })
}
