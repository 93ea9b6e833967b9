import { sql } from 'kysely'

/**
 * Whether a resumable upload is neither stored nor failed. A literal in the statement, because only then does SQLite
 * use the index of such uploads.
 */
export const isInProgress = sql<boolean>`state in ('receiving', 'received')`

/** The `expires_at` of a resumable upload whose link was revoked: it is removed, and not continued until then. */
export const endedWithLink = 0
