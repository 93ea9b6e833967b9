import type { Drive, DriveItem } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { explainError } from '../messages/describe-error.ts'
import { moveBack, moveItems, renameItem, restoreItems } from './edit-items.ts'

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

test('Undo restores items from the trash, and skips those restored or deleted meanwhile', () => {
  const restored: string[] = []
  const edit = { restore: (id: string) => `restored as ${restored.push(id)}` }
  expect(restoreItems({ edit, drive }, ids)).toBe(1)
  expect(restored).toEqual(['id of /trashed'])
})

test('moves items that still exist, and not those in the trash', () => {
  const moved: (readonly [from: string | readonly string[], to: string])[] = []
  const edit = { move: (from: string | readonly string[], to: string) => [`moved as ${moved.push([from, to])}`] }
  expect(moveItems({ edit, drive }, ids, 'id of /letters')).toBe(1)
  expect(moved).toEqual([['/live', '/letters/live']])
  // It was `old`, and got another name because that one was taken.
  moveBack({ edit, drive }, 'id of /live', { folderId: 'id of /letters', name: 'old' })
  expect(moved.at(-1)).toEqual(['/live', '/letters/old'])
})

test('renames neither an item deleted meanwhile nor the item that now has its path', () => {
  const moved: unknown[] = []
  const edit = { move: (...all: unknown[]) => [`moved as ${moved.push(all)}`] }
  const trashed = toFolder('/plan', 7)
  const another = { ...toFolder('/plan'), id: 'id of another' }
  const now: typeof drive = {
    get: (id) => [trashed, another].find((one) => one.id === id),
    find: (path) => (path === another.path ? another : undefined),
  }
  expect(() => renameItem({ edit, drive: now }, trashed.id, 'new name')).toThrow('This item is no longer here')
  expect(moved).toEqual([])
})

test('reports a folder that is gone, without the usual hint to open it', () => {
  const edit = { move: () => [] }
  const move = () => moveItems({ edit, drive }, ['id of /live'], 'id of /trashed')
  expect(move).toThrow('This folder no longer exists')
  try {
    move()
  } catch (error) {
    expect(explainError(error)).toBe(
      'This folder no longer exists. It was moved to the trash or deleted, maybe on another device.',
    )
  }
})
