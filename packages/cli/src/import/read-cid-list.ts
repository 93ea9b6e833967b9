import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { CairnError } from '@cairn/sdk'
import * as v from 'valibot'
import type { ImportItem } from './import-source.ts'
import { parseItemCid } from './parse-item-cid.ts'

/** Names of the fields in lists of Cairn, of Kubo and of other services. */
const fields = {
  cid: ['cid', 'hash', 'ipfs_pin_hash', 'root'],
  name: ['name', 'filename', 'file_name'],
  mimeType: ['mimetype', 'mime_type', 'type'],
  isEncrypted: ['isencrypted', 'encrypted', 'encryption'],
  sizeBytes: ['sizebytes', 'size', 'filesizeinbytes', 'bytes'],
} as const
type Field = keyof typeof fields

/** @see https://ipld.io/specs/codecs/dag-json/spec/#links */
const linkSchema = v.object({ '/': v.string() })
const record = v.record(v.string(), v.unknown())

/**
 * Reads a list of CIDs, one line at a time: bare CIDs, CSV (`cid,name` or with a header), JSON lines, or one JSON array
 * of texts or objects on its lines. A CID in JSON may be a link of DAG-JSON. Lines without a CID are items with an error. Ignores
 * empty lines and `#` comments.
 */
export async function* readCidList(input: Readable, signal?: AbortSignal): AsyncGenerator<ImportItem, void, undefined> {
  let columns: (Field | undefined)[] | undefined
  let array: string | undefined
  let number = 0
  for await (const raw of createInterface({
    input,
    crlfDelay: Number.POSITIVE_INFINITY,
    // Ends the wait for a line that is never typed.
    ...(signal === undefined ? {} : { signal }),
  })) {
    number++
    const line = (number === 1 ? raw.replace(/^\uFEFF/, '') : raw).trim()
    if (array !== undefined || (number === 1 && line.startsWith('['))) {
      array = `${array ?? ''}${line}\n`
      continue
    }
    // Lines that start with these signs are the shards below a root in the output of `storacha ls --shards`.
    if (line === '' || /^[#│├└]/.test(line)) continue
    if (line.startsWith('{')) {
      yield readObject(parseJson(line), number)
      continue
    }
    const cells = splitCsv(line)
    if (columns === undefined) {
      columns = readHeader(cells)
      if (columns !== undefined) continue
      columns = ['cid', 'name']
    }
    const row: Record<string, unknown> = {}
    for (const [at, field] of columns.entries()) if (field !== undefined) row[field] = cells[at]
    yield readObject(row, number)
  }
  if (array === undefined) return
  const rows = v.safeParse(v.array(v.unknown()), parseJson(array))
  if (!rows.success) throw new CairnError('USAGE', { message: 'The list is not a JSON array' })
  for (const [at, row] of rows.output.entries()) yield readObject(typeof row === 'string' ? { cid: row } : row, at + 1)
}

/** Opens a list: a path, or standard input for `-`. @throws CairnError FILE_UNREADABLE */
export async function openList(path: string, stdin: Readable): Promise<Readable> {
  if (path === '-') return stdin
  const file = await open(path).catch((cause: unknown) => {
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}`, cause })
  })
  return file.createReadStream()
}

/** Creates the item of a CID as a service lists it. */
export function createItem(cid: string, facts: Partial<Omit<ImportItem, 'id' | 'cid' | 'error'>>): ImportItem {
  const name = facts.name === '' ? undefined : facts.name
  const base = {
    id: JSON.stringify([cid, name ?? null]),
    cid,
    name,
    mimeType: facts.mimeType === '' ? undefined : facts.mimeType,
    isEncrypted: facts.isEncrypted ?? false,
    sizeBytes: facts.sizeBytes,
  }
  try {
    return { ...base, cid: parseItemCid(cid).toString() }
  } catch (error) {
    return { ...base, error: CairnError.from(error) }
  }
}

function readObject(row: unknown, number: number): ImportItem {
  const parsed = v.safeParse(record, row)
  const find = (field: Field): unknown => {
    if (!parsed.success) return undefined
    const names: readonly string[] = fields[field]
    return Object.entries(parsed.output).find(([name]) => name === field || names.includes(name.toLowerCase()))?.[1]
  }
  const text = (field: Field): string | undefined => {
    const found = find(field)
    const link = v.safeParse(linkSchema, found)
    const value = link.success ? link.output['/'] : found
    return typeof value === 'string' ? value.trim() : undefined
  }
  const cid = text('cid')
  if (cid === undefined || cid === '') {
    const error = new CairnError('INVALID_CID', { message: `Line ${number} has no CID` })
    return { ...createItem(`line ${number}`, {}), error }
  }
  const size = Number(find('sizeBytes') || Number.NaN)
  return createItem(cid, {
    name: text('name'),
    mimeType: text('mimeType')?.includes('/') === true ? text('mimeType') : undefined,
    isEncrypted: ['true', '1', 'yes'].includes(String(find('isEncrypted') ?? '').toLowerCase()),
    sizeBytes: Number.isSafeInteger(size) && size >= 0 ? size : undefined,
  })
}

function readHeader(cells: readonly string[]): (Field | undefined)[] | undefined {
  const known = cells.map((cell) => {
    const name = cell.trim().toLowerCase()
    return typedKeys(fields).find((field) => fields[field].some((one) => one === name))
  })
  return known.includes('cid') ? known : undefined
}

function typedKeys<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(table).filter((key): key is Key => key in table)
}

/** Splits a line of CSV or of tab-separated values; a quote is doubled within quotes. @see RFC 4180 */
function splitCsv(line: string): string[] {
  const separator = line.includes('\t') ? '\t' : ','
  const cells: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] ?? ''
    if (letter === '"' && isQuoted && line[at + 1] === '"') {
      cell += letter
      at++
    } else if (letter === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted
    else if (letter === separator && !isQuoted) {
      cells.push(cell)
      cell = ''
    } else cell += letter
  }
  return [...cells, cell]
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
