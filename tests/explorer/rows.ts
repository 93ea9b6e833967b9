import type { DatabaseSync } from 'node:sqlite'
import type { Context } from '../../services/keynode/src/context.ts'
import { openShard, type SealSubject, sealShard } from '../../services/keynode/src/shards/seal.ts'
import { sealSpare } from '../../services/keynode/src/shards/spares.ts'
import { nameShard, nameSpare, shardOf, spareFor } from './key-sets.ts'

type Cell = string | number | null
type Row = Record<string, Cell>
/** Everything a node has about the file, equal on all nodes: shards by the name of their set, times by their order. */
export type Rows = Record<string, Row[]>

const times = new Set(['created_at', 'updated_at', 'saved_at', 'at'])
/** Time zero of rows, and the interval between two of their times. */
export const epochMs = 1_700_000_000_000
const tickMs = 1_000

type Table = { name: string; columns: string[]; order: string }

/** Every table with data about a file. */
export function findTables(connection: DatabaseSync): Table[] {
  const names = connection.prepare(`select name from sqlite_master where type = 'table' order by rowid`).all()
  return names.flatMap(({ name }) => {
    const columns = connection.prepare(`select name, pk from pragma_table_info('${name}')`).all()
    if (!columns.some((column) => column['name'] === 'cid')) return []
    const keys = columns.filter(({ pk }) => Number(pk) > 0).map((column) => String(column['name']))
    return [{ name: String(name), columns: columns.map((column) => String(column['name'])), order: keys.join(', ') }]
  })
}

function subjectOf(table: string, row: Row): SealSubject {
  const version = Number(table === 'key' ? row['sealed_version'] : row['version'])
  return { cid: String(row['cid']), owner: String(row['owner']), version }
}

function sealParts(context: Context, { cid, spare_id }: Row, name: string): Uint8Array {
  const { parts } = spareFor(name, context.config.node)
  const subject = { cid: String(cid), spareId: String(spare_id), column: 'parts' } as const
  return sealSpare(context, subject, Buffer.from(JSON.stringify(parts)))
}

/** Reads everything that a node has. */
export function readRows(connection: DatabaseSync, tables: readonly Table[], context: Context): Rows {
  const rows: Rows = {}
  const seen = new Set<number>()
  for (const { name, columns, order } of tables) {
    rows[name] = connection
      .prepare(`select * from ${name} order by ${order}`)
      .all()
      .map((found) => {
        const row: Row = {}
        for (const column of columns) {
          const value = found[column]
          if (value instanceof Uint8Array || value === undefined) continue
          row[column] = typeof value === 'bigint' ? Number(value) : value
          if (times.has(column)) seen.add(Number(value))
        }
        const { sealed } = found
        if (sealed instanceof Uint8Array)
          row['sealed'] = nameShard(openShard(context, subjectOf(name, row), sealed), context.config.node)
        // Seals always differ; the content follows from the spare set.
        if (found['parts'] instanceof Uint8Array) row['parts'] = nameSpare(String(row['spare_id']))
        return row
      })
  }
  const ranks = [...seen].sort((a, b) => a - b)
  for (const list of Object.values(rows)) {
    for (const row of list)
      for (const column of times) if (column in row) row[column] = ranks.indexOf(Number(row[column])) + 1
  }
  return rows
}

/** The moment after everything recorded in a node's rows. */
export function momentAfter(rows: Rows): number {
  let last = 0
  for (const list of Object.values(rows))
    for (const row of list) for (const column of times) last = Math.max(last, Number(row[column] ?? 0))
  return epochMs + (last + 1) * tickMs
}

/** Replaces everything that a node has by rows. */
export function writeRows(connection: DatabaseSync, tables: readonly Table[], context: Context, rows: Rows): void {
  connection.exec('BEGIN')
  for (const { name } of [...tables].reverse()) connection.exec(`delete from ${name}`)
  for (const { name, columns } of tables) {
    const insert = connection.prepare(
      `insert into ${name} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
    )
    for (const row of rows[name] ?? []) {
      insert.run(
        ...columns.map((column) => {
          const value = row[column] ?? null
          if (times.has(column)) return epochMs + Number(value) * tickMs
          if (column === 'parts' && value !== null) return sealParts(context, row, String(value))
          if (column !== 'sealed' || value === null) return value
          return sealShard(context, subjectOf(name, row), shardOf(String(value), context.config.node))
        }),
      )
    }
  }
  connection.exec('COMMIT')
}
