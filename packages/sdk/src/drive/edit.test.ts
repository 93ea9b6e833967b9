// What one change may do to one item.
import { expect, test } from 'vitest'
import { startEdit } from './edit.ts'
import { createRegisters } from './log/registers.ts'
import { createStamp } from './log/stamp.ts'
import { createUploadIndex } from './view/upload-index.ts'
import { createView } from './view/view.ts'

const ida = '0x1111111111111111111111111111111111111111'

test('a change cannot set an item that it removes, because its values would be void', () => {
  const state = createRegisters()
  const view = createView(state, createUploadIndex())
  const start = (nowMs: number) => startEdit(state, view, createStamp(state.newest, nowMs, 'deviceA1'), nowMs)
  start(1).editor.setContact(ida, 'Ida')
  const both = start(2)
  both.editor.removeContact(ida)
  expect(() => both.editor.setContact(ida, 'Ida B.')).toThrow(expect.objectContaining({ code: 'CONFLICT' }))
  const next = start(3)
  next.editor.setContact(ida, 'Ida B.')
  expect(next.finish().set).toEqual([[`c-${ida}`, 'name', 'Ida B.']])
  expect(state.entries.get(`c-${ida}`)?.fields.get('name')?.value).toBe('Ida B.')
})
