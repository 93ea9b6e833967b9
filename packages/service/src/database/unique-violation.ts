/** SQLITE_CONSTRAINT_PRIMARYKEY and SQLITE_CONSTRAINT_UNIQUE. */
const sqliteCodes: readonly unknown[] = [1555, 2067]
/** PostgreSQL's unique_violation. */
const postgresCode = '23505'

/** Returns whether a statement failed because a row with the same key exists. */
export function isUniqueViolation(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('errcode' in error && sqliteCodes.includes(error.errcode)) || ('code' in error && error.code === postgresCode)
}
