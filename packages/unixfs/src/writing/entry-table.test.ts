import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { describe, expect, it } from 'vitest'
import { createEntryTable, entryMemoryBytes, topEntry } from './entry-table.ts'

const node = (size: number) =>
  ({
    cid: CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'),
    fileSizeBytes: size,
    dagSizeBytes: size + 8,
    kind: 'file',
  }) as const

describe('a table of entries', () => {
  it('returns the values of each entry, in any order of calls', () => {
    const anyName = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
    const isPlain = (name: string) => !/[/\0]/.test(name) && name !== '.' && name !== '..' && name.isWellFormed()
    const anyPath = fc.array(anyName.filter(isPlain), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.uniqueArray(anyPath, { maxLength: 200, selector: (path) => path.join('/') }), (paths) => {
        const table = createEntryTable()
        const added = new Map<string, number>()
        for (const [size, path] of paths.entries()) {
          // Folder names never equal file names.
          const text = [...path.slice(0, -1).map((name) => `${name}-`), path.at(-1)].join('/')
          if (added.has(text)) continue
          const entry = table.addFile(text)
          table.setNode(entry, node(size), size)
          added.set(text, size)
        }
        const seen = new Map<string, number>()
        const walk = (folder: number): void => {
          for (const child of table.childrenOf(folder)) {
            if (table.isFolder(child)) walk(child)
            else seen.set(table.pathOf(child), table.nodeOf(child).fileSizeBytes)
          }
        }
        walk(topEntry)
        expect([...seen].sort()).toEqual([...added].sort())
      }),
      { numRuns: 50 },
    )
  })

  it('rejects and reports a duplicate name', () => {
    const table = createEntryTable()
    table.addFile('a/b')
    const pathOf = (add: () => void): unknown => {
      try {
        add()
        return 'none'
      } catch (error) {
        return error instanceof Error && 'details' in error ? error.details : error
      }
    }
    expect(pathOf(() => table.addFile('a/b'))).toEqual({ path: 'a/b' })
    expect(pathOf(() => table.addFile('a/b/c/d'))).toEqual({ path: 'a/b' })
    expect(pathOf(() => table.addFile('a'))).toEqual({ path: 'a' })
    expect(pathOf(() => table.addFolder('a/b'))).toEqual({ path: 'a/b' })
    expect(pathOf(() => table.addFolder('a'))).toBe('none')
  })

  it('places an unnamed file once, unless a named one has the place', () => {
    const table = createEntryTable()
    const [one, two] = [table.addUnnamed(), table.addUnnamed()]
    table.addFile('taken')
    expect(table.pathOf(one)).toBe('')
    expect(table.place(one, 'cid')).toBe(true)
    expect(table.place(two, 'cid')).toBe(false)
    expect(table.pathOf(one)).toBe('cid')
    expect(() => table.place(two, 'taken')).toThrow(expect.objectContaining({ code: 'DUPLICATE_NAME' }))
    expect([...table.childrenOf(topEntry)].map(table.pathOf)).toEqual(['taken', 'cid'])
  })

  it('acquires memory before it allocates any, and adds nothing when the request is rejected', () => {
    let left = 2 * entryMemoryBytes + 3 * ('folder'.length + 'file'.length)
    const table = createEntryTable({
      acquireMemory(bytes) {
        if (bytes > left) throw new RangeError('none left')
        left -= bytes
      },
    })
    table.addFile('folder/file')
    expect(left).toBe(0)
    expect(() => table.addFile('folder/other')).toThrow(RangeError)
    expect(() => table.addUnnamed()).toThrow(RangeError)
    expect(table.size).toBe(3)
  })
})
