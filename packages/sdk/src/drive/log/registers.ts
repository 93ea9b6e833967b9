import { CairnError } from '@cairn/protocol'
import { type Stamp, stampPattern } from './stamp.ts'

/** Value of a field of an entry. */
export type FieldValue = string | number | boolean

/** A change: fields of entries that it sets, and entries that it clears, all at one time. */
export type Change = {
  at: Stamp
  set: [id: string, field: string, value: FieldValue][]
  clear: string[]
}

type Register = { at: Stamp; value: FieldValue }

/** An entry: the newest value of each field, and the time before which all values are void. */
type Entry = { clearedAt: Stamp | undefined; fields: Map<string, Register> }

/**
 * The state of a drive: a register per entry and field, in which the latest value wins. States that saw the same changes
 * are equal, in whatever order and however often they saw them.
 */
export type Registers = { entries: Map<string, Entry>; newest: Stamp | undefined }

/** What a part contains, decrypted: changes, and the tips that merged changes had (see `part.ts`). */
export type PartContent = { changes: Change[]; tips: string[] }

const idPattern = /^[\w-]{1,320}$/
const maxFieldCharacters = 400
const maxValueCharacters = 4096

// By hand, because a schema takes eight times as long, and an index may have hundreds of thousands of values.

function isContent(value: unknown): value is { changes: Change[]; tips?: string[] } {
  if (typeof value !== 'object' || value === null || !('changes' in value) || !Array.isArray(value.changes))
    return false
  const tips = 'tips' in value ? value.tips : undefined
  const areTips = tips === undefined || (Array.isArray(tips) && tips.every((tip) => typeof tip === 'string'))
  return areTips && value.changes.every(isChange)
}

/** Whether every device can read changes that are stored. */
export function isReadable(changes: readonly Change[]): boolean {
  return changes.every(isChange)
}

function isChange(value: unknown): value is Change {
  if (typeof value !== 'object' || value === null || !('at' in value) || !('set' in value) || !('clear' in value))
    return false
  const { at, set, clear } = value
  return (
    typeof at === 'string' &&
    stampPattern.test(at) &&
    Array.isArray(set) &&
    set.every(isFieldSetting) &&
    Array.isArray(clear) &&
    clear.every(isId)
  )
}

function isFieldSetting(value: unknown): value is Change['set'][number] {
  if (!Array.isArray(value) || value.length !== 3) return false
  const [id, field, set]: unknown[] = value
  return isId(id) && typeof field === 'string' && field.length <= maxFieldCharacters && isFieldValue(set)
}

function isFieldValue(value: unknown): value is FieldValue {
  return typeof value === 'string'
    ? value.length <= maxValueCharacters
    : typeof value === 'boolean' || Number.isSafeInteger(value)
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && idPattern.test(value)
}

export function createRegisters(): Registers {
  return { entries: new Map(), newest: undefined }
}

/** Applies a change: a value counts if it is later than the one known, and than the time of clearing. */
export function applyChange(state: Registers, { at, set, clear }: Change): void {
  if (state.newest === undefined || at > state.newest) state.newest = at
  for (const id of clear) {
    const entry = entryOf(state, id)
    if (entry.clearedAt !== undefined && entry.clearedAt >= at) continue
    entry.clearedAt = at
    for (const [field, register] of entry.fields) if (register.at <= at) entry.fields.delete(field)
  }
  for (const [id, field, value] of set) {
    const { clearedAt, fields } = entryOf(state, id)
    if (clearedAt !== undefined && clearedAt >= at) continue
    const known = fields.get(field)
    if (known === undefined || isLater({ at, value }, known)) fields.set(field, { at, value })
  }
}

/** Only a faulty program writes two values with the same time; every device then chooses the same one. */
function isLater(one: Register, other: Register): boolean {
  return one.at === other.at ? JSON.stringify(one.value) > JSON.stringify(other.value) : one.at > other.at
}

function entryOf({ entries }: Registers, id: string): Entry {
  const known = entries.get(id)
  if (known !== undefined) return known
  const entry: Entry = { clearedAt: undefined, fields: new Map() }
  entries.set(id, entry)
  return entry
}

/** Returns the parts of changes that count in a state: what later changes replaced is gone. */
export function keepLive(state: Registers, changes: readonly Change[]): Change[] {
  return changes.flatMap(({ at, set, clear }) => {
    const live: Change = {
      at,
      set: set.filter(([id, field, value]) => {
        const register = state.entries.get(id)?.fields.get(field)
        return register?.at === at && register.value === value
      }),
      clear: clear.filter((id) => state.entries.get(id)?.clearedAt === at),
    }
    return live.set.length === 0 && live.clear.length === 0 ? [] : [live]
  })
}

/** Returns a state as changes, one for each time, in order. */
export function listChanges({ entries }: Registers): Change[] {
  const byTime = new Map<Stamp, Change>()
  const changeAt = (at: Stamp): Change => {
    const known = byTime.get(at)
    if (known !== undefined) return known
    const change: Change = { at, set: [], clear: [] }
    byTime.set(at, change)
    return change
  }
  for (const [id, { clearedAt, fields }] of entries) {
    if (clearedAt !== undefined) changeAt(clearedAt).clear.push(id)
    for (const [field, { at, value }] of fields) changeAt(at).set.push([id, field, value])
  }
  return [...byTime.values()].sort((a, b) => (a.at < b.at ? -1 : 1))
}

/**
 * Splits changes into lists whose JSON has at most this many bytes each.
 * @param maxBytes far above the size of one value
 */
export function splitChanges(changes: readonly Change[], maxBytes: number): Change[][] {
  const lists: Change[][] = []
  let list: Change[] = []
  let bytes = 0
  const startList = () => {
    list = []
    lists.push(list)
    bytes = 0
  }
  startList()
  for (const { at, set, clear } of changes) {
    let change: Change | undefined
    const add = (size: number): Change => {
      // The frame of the change, for each list that it is in.
      const frame = change === undefined ? 64 : 0
      if (bytes + size + frame > maxBytes) {
        startList()
        change = undefined
      }
      if (change === undefined) {
        change = { at, set: [], clear: [] }
        list.push(change)
        bytes += 64
      }
      bytes += size
      return change
    }
    for (const id of clear) add(id.length + 3).clear.push(id)
    for (const value of set) add(jsonBytes(value) + 1).set.push(value)
  }
  return lists.filter((one) => one.length > 0)
}

const utf8 = new TextEncoder()
/** Size of a value as JSON. */
function jsonBytes(value: unknown): number {
  return utf8.encode(JSON.stringify(value)).length
}

/** Size of changes as JSON, for decisions about merging. */
export function changeBytes(changes: readonly Change[]): number {
  return jsonBytes(changes)
}

/**
 * Parses the content of a part.
 * @throws CairnError UNEXPECTED_RESPONSE
 */
export function parseContent(text: string): PartContent {
  let content: unknown
  let cause: unknown
  try {
    content = JSON.parse(text)
  } catch (error) {
    cause = error
  }
  if (isContent(content)) return { changes: content.changes, tips: content.tips ?? [] }
  throw new CairnError('UNEXPECTED_RESPONSE', {
    message: 'A part of the drive has content that this version cannot read',
    hint: 'Use the newest version of the program.',
    cause,
  })
}
