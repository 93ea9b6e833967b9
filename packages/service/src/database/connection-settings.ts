/** Time limit of a statement in the server, in ms. */
const statementTimeoutMs = 30_000

/**
 * What every connection of a service requests when it opens. A pooler such as PgBouncer refuses settings that it does not know, so
 * that the inspection before a start requests the same.
 */
export const connectionSettings = {
  statement_timeout: statementTimeoutMs,
  idle_in_transaction_session_timeout: statementTimeoutMs,
  options: '-c synchronous_commit=on',
}
