import { userInfo } from 'node:os'
import { uuidv7 } from '@cairn/service'
import type { Kysely } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'

/** An action of an operator, as logged. */
export type AuditEntry = {
  /** The command, such as `accounts block`. */
  action: string
  /** The subject of the action: an account, a CID, a deal. */
  subject: string
  reason?: string | undefined
  before?: unknown
  after?: unknown
}

/** A logged action. */
export type LoggedAction = Omit<AuditEntry, 'reason'> & { at: number; actor: string; reason: string | null }

/** The operating system user that runs the command; its number in a container without user names. */
export function nameActor(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/** Adds an entry to the log, in the unit of work of the action. Entries are never changed or removed. */
export async function recordAction(trx: Kysely<Schema>, entry: AuditEntry, now: number): Promise<void> {
  const { action, subject, reason, before, after } = entry
  await trx
    .insertInto('audit_entry')
    .values({
      id: uuidv7(now),
      created_at: now,
      actor: nameActor(),
      action,
      subject,
      reason: reason ?? null,
      before: before === undefined ? null : JSON.stringify(before),
      after: after === undefined ? null : JSON.stringify(after),
    })
    .execute()
}

const rowsOfPage = 500

/** Lists the log, newest first, page by page. */
export async function* listActions({ read }: Pick<Database, 'read'>): AsyncGenerator<LoggedAction> {
  for (let after: string | undefined; ; ) {
    let query = read.selectFrom('audit_entry').selectAll().orderBy('id', 'desc').limit(rowsOfPage)
    if (after !== undefined) query = query.where('id', '<', after)
    const rows = await query.execute()
    for (const { created_at: at, actor, action, subject, reason, before, after: later } of rows)
      yield { at, actor, action, subject, reason, before: readJson(before), after: readJson(later) }
    after = rows.at(-1)?.id
    if (after === undefined) return
  }
}

function readJson(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text)
}
