import type { Drive, DriveItem } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { moveBack, moveItems, restoreItems } from './edit-items.ts'

const toFolder = (path: string, trashedAt?: number): DriveItem => ({
  kind: 'folder',
  id: `id of ${path}`,
  name: path.slice(1),
  path,
  isStarred: false,
  tags: [],
  colour: undefined,
  trashedAt,
})
const items = [toFolder('/live'), toFolder('/letters'), toFolder('/trashed', 7)]
const drive: Pick<Drive, 'get' | 'find'> = {
  get: (id) => items.find((item) => item.id === id),
  find: (path) => items.find((item) => item.path === path && item.trashedAt === undefined),
}
const ids = ['id of /live', 'id of /trashed', 'id of /gone']

test('Undo restores what is in the trash, and skips what was restored or deleted meanwhile', () => {
  const restored: string[] = []
  const edit = { restore: (id: string) => `restored as ${restored.push(id)}` }
  expect(restoreItems({ edit, drive }, ids)).toBe(1)
  expect(restored).toEqual(['id of /trashed'])
})

test('items move that are still there, and not those in the trash', () => {
  const moved: (readonly [from: string | readonly string[], to: string])[] = []
  const edit = { move: (from: string | readonly string[], to: string) => [`moved as ${moved.push([from, to])}`] }
  expect(moveItems({ edit, drive }, ids, 'id of /letters')).toBe(1)
  expect(moved).toEqual([['/live', '/letters/live']])
  // It was `old`, and got another name where that was taken.
  moveBack({ edit, drive }, 'id of /live', { folderId: 'id of /letters', name: 'old' })
  expect(moved.at(-1)).toEqual(['/live', '/letters/old'])
})
