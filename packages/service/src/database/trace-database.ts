import type { CompiledQuery, Kysely } from 'kysely'
import { currentSpan, runInSpan, type SpanFacts, type SpanStart, traceStep } from '../traces/span.ts'
import type { Database, QuietDatabase } from './types.ts'

/** Longest statement in a span. Statements have placeholders instead of values. */
const maxTextLength = 2000

/** Makes each unit of work a span: its statements, and the wait for the queue and the disk. */
export function traceDatabase<Schema>(database: QuietDatabase<Schema>): QuietDatabase<Schema> {
  return {
    ...database,
    write: <T>(unit: (trx: Kysely<Schema>) => Promise<T>): Promise<T> => {
      if (currentSpan() === undefined) return database.write(unit)
      return traceStep('transaction', describe(database.kind), () => {
        const span = currentSpan()
        // Units of several requests may run in one commit: each keeps its own span.
        return database.write((trx) => (span === undefined ? unit(trx) : runInSpan(span, () => unit(trx))))
      })
    },
  }
}

/** Makes one statement a span. */
export function traceStatement<T>(
  kind: Database<unknown>['kind'],
  query: CompiledQuery,
  run: () => Promise<T>,
): Promise<T> {
  if (currentSpan() === undefined) return run()
  const [operation = 'statement'] = query.sql.trimStart().split(/\s/, 1)
  return traceStep(
    operation.toUpperCase(),
    describe(kind, {
      'db.operation.name': operation.toUpperCase(),
      'db.query.text': query.sql.slice(0, maxTextLength),
    }),
    run,
  )
}

function describe(kind: Database<unknown>['kind'], more: SpanFacts = {}): SpanStart {
  return { kind: 'client', facts: { 'db.system.name': kind === 'postgres' ? 'postgresql' : 'sqlite', ...more } }
}
