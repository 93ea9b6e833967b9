import { userInfo } from 'node:os'
import { type RawBuilder, sql } from 'kysely'
import { uuidv7 } from '../uuid-v7.ts'

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

/** The table `audit_entry`. Rows are only ever added. `before` and `after` are JSON. */
export type AuditEntryTable = {
  id: string
  created_at: number
  /** Operating system user. */
  actor: string
  action: string
  /** The subject of the action: an account, a CID, a deal. */
  subject: string
  reason: string | null
  before: string | null
  after: string | null
}

/** A logged action. */
export type LoggedAction = Omit<AuditEntry, 'reason'> & { at: number; actor: string; reason: string | null }

/** A connection or transaction of any schema that has the table `audit_entry`. */
type Executor = Parameters<RawBuilder<unknown>['execute']>[0]

/** The operating system user that runs the command; its number in a container without user names. */
function nameActor(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

/** Adds an entry to the log, in the unit of work of the action. Entries are never changed or removed. */
export async function recordAction(trx: Executor, entry: AuditEntry, now: number): Promise<void> {
  const { action, subject, reason = null, before, after } = entry
  await sql`insert into audit_entry (id, created_at, actor, action, subject, reason, before, after)
    values (${uuidv7(now)}, ${now}, ${nameActor()}, ${action}, ${subject}, ${reason}, ${writeJson(before)},
    ${writeJson(after)})`.execute(trx)
}

const rowsOfPage = 500

/** Lists the log, newest first, page by page. */
export async function* listActions({ read }: { read: Executor }): AsyncGenerator<LoggedAction> {
  for (let end: string | undefined; ; ) {
    const earlier = end === undefined ? sql`` : sql`where id < ${end}`
    const { rows } = await sql<AuditEntryTable>`select id, created_at, actor, action, subject, reason, before, after
      from audit_entry ${earlier} order by id desc limit ${rowsOfPage}`.execute(read)
    for (const { created_at: at, actor, action, subject, reason, before, after } of rows)
      yield { at, actor, action, subject, reason, before: readJson(before), after: readJson(after) }
    end = rows.at(-1)?.id
    if (end === undefined) return
  }
}

function writeJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

function readJson(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text)
}
