import { CairnError } from '@cairn/protocol'
import { applyChange, type Change, type FieldValue, type Registers } from './log/registers.ts'
import type { Stamp } from './log/stamp.ts'
import type { View } from './view/view.ts'

/** A change in progress: it changes the state at once, which the view follows, and collects what to send. */
export type Recording = {
  /** Later values of one change replace earlier ones. @throws CairnError CONFLICT if the change has removed the entry */
  write(id: string, field: string, value: FieldValue): void
  clear(ids: readonly string[]): void
  finish(): Change
  undo(): void
}

export function recordChange(state: Registers, view: View, at: Stamp): Recording {
  const before = new Map<string, Registers['entries'] extends Map<string, infer Entry> ? Entry | undefined : never>()
  const newest = state.newest
  const values = new Map<string, [id: string, field: string, value: FieldValue]>()
  const cleared = new Set<string>()

  const keep = (id: string) => {
    if (before.has(id)) return
    const entry = state.entries.get(id)
    before.set(id, entry && { clearedAt: entry.clearedAt, fields: new Map(entry.fields) })
  }
  return {
    write(id, field, value) {
      // All parts of a change have the same time, so every device would ignore the value.
      if (cleared.has(id))
        throw new CairnError('CONFLICT', {
          message: 'The item was removed from the index earlier in the same change',
          hint: 'Make its other edits in another change.',
        })
      keep(id)
      values.set(`${id}/${field}`, [id, field, value])
      state.entries.get(id)?.fields.delete(field)
      applyChange(state, { at, set: [[id, field, value]], clear: [] })
      view.touch([id])
    },
    clear(ids) {
      for (const id of ids) {
        keep(id)
        cleared.add(id)
        for (const [key, [of]] of values) if (of === id) values.delete(key)
        applyChange(state, { at, set: [], clear: [id] })
      }
      view.touch(ids)
    },
    finish: () => ({ at, set: [...values.values()], clear: [...cleared] }),
    undo() {
      for (const [id, entry] of before) {
        if (entry === undefined) state.entries.delete(id)
        else state.entries.set(id, entry)
      }
      state.newest = newest
      view.touch(before.keys())
    },
  }
}
