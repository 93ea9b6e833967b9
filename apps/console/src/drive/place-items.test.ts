import { CairnError, type Drive } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { placeItems } from './place-items.ts'

const drive: Pick<Drive, 'get' | 'find'> = { get: () => undefined, find: () => undefined }
const toPlacement = (name: string, folderId = '') => ({ cid: `cid of ${name}`, name, folderId })

test('an upload that cannot be placed does not stop the others', () => {
  const placed: [cid: string, path: string][] = []
  const edit = {
    place(cid: string, path: string) {
      if (path.startsWith('/taken/')) throw new CairnError('NOT_A_DIRECTORY')
      placed.push([cid, path])
      return cid === 'cid of known.txt' ? '/elsewhere.txt' : path.normalize('NFC')
    },
  }
  const names = ['in/a.txt', 'taken/b.txt', 'in/c.txt', 'known.txt']
  const placements = [...names.map((name) => toPlacement(name)), toPlacement('u\u0308.txt', 'a folder that is gone')]
  expect(placeItems({ edit, drive }, placements)).toEqual({
    elsewhere: [{ name: 'known.txt', path: '/elsewhere.txt' }],
    withoutFolder: 1,
    refused: [{ name: 'taken/b.txt', error: expect.objectContaining({ code: 'NOT_A_DIRECTORY' }) }],
  })
  expect(placed).toEqual([
    ['cid of in/a.txt', '/in/a.txt'],
    ['cid of in/c.txt', '/in/c.txt'],
    ['cid of known.txt', '/known.txt'],
    ['cid of u\u0308.txt', '/u\u0308.txt'],
  ])
})

test('does not report a defect of the page as the reason why an upload has no place', () => {
  const edit = {
    place: () => {
      throw new TypeError('a defect')
    },
  }
  expect(() => placeItems({ edit, drive }, [toPlacement('a/b.txt')])).toThrow('a defect')
})
