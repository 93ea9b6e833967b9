// The view of a drive: equal for equal input, however it came about.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyChange, type Change, createRegisters, type Registers } from '../log/registers.ts'
import { createStamp } from '../log/stamp.ts'
import { change, changes, cids, stateOf } from '../random-changes.fixture.ts'
import type { DriveUpload } from './nodes.ts'
import { createUploadIndex } from './upload-index.ts'
import { createView, type View } from './view.ts'

const uploads: DriveUpload[] = cids.map((cid, at) => ({
  id: String(at),
  cid,
  fileName: at === 2 ? 'n' : 'same.txt',
  fileSizeInBytes: '5',
  mimeType: null,
  createdAt: 10 + at,
  encryption: false,
}))

/** Content uploaded again, once with the name of a root file and once with another name. */
const repeated = [
  ...uploads,
  ...uploads.map((one, at): DriveUpload => ({ ...one, id: `again ${at}`, createdAt: 20 - at, fileName: 'same.txt' })),
  ...uploads.map((one, at): DriveUpload => ({ ...one, id: `sent ${at}`, createdAt: 5 + at, uploadLinkId: 'link' })),
]

function build(state: Registers, rows: readonly DriveUpload[]): View {
  const index = createUploadIndex()
  index.replace(rows)
  return createView(state, index)
}

/** Everything that the view says, in an order of its own. */
const describeView = (view: View) => ({
  items: Array.from(view.nodes(), (node) => ({
    ...view.itemOf(node),
    joined: node.joined,
    renewed: node.renewed,
    path: view.pathOf(node),
    isInTrash: view.isInTrash(node),
    isHolder: node.versions?.every(({ cid }) => view.holderOf(cid) !== undefined),
  })).sort((a, b) => (a.id < b.id ? -1 : 1)),
  lists: ['', ...Array.from(view.nodes(), ({ id }) => id).sort()].map((id) => view.list(id)),
  trashed: [...view.trashed()].sort(),
  tagged: [...view.tagged()].sort(),
})

const upload = fc
  .record({
    id: fc.integer({ min: 3, max: 12 }).map(String),
    cid: fc.constantFrom(...cids),
    fileName: fc.constantFrom('n', 'm', 'same.txt', 'n (2)'),
    createdAt: fc.integer({ min: 8, max: 20 }),
    link: fc.constantFrom({}, { uploadLinkId: 'link' }),
  })
  .map(
    ({ link, ...one }): DriveUpload => ({ ...one, ...link, fileSizeInBytes: '5', mimeType: null, encryption: false }),
  )
const step = fc.oneof(
  { weight: 4, arbitrary: change.map((made) => ({ change: made })) },
  { weight: 1, arbitrary: upload.map((added) => ({ added })) },
  { weight: 1, arbitrary: fc.subarray(repeated).map((rows) => ({ rows })) },
)

/** Two folders inside each other, one of which is moved there again. */
function moveIntoEachOther() {
  const [one, other] = ['d-aaaaaaaaaaaaaaaaaaaaaa', 'd-cccccccccccccccccccccc'] as const
  const made = (time: string, ...set: Change['set']): { change: Change } => ({
    change: { at: `00000000${time}0000-deviceA1`, set, clear: [] },
  })
  return [
    made('1', [other, 'parent', one], [one, 'parent', other]),
    made('1', [one, 'name', 'n'], [other, 'name', 'n']),
    made('2', [one, 'parent', other]),
  ]
}

describe('a view', () => {
  test('that follows changes and uploads equals the one built from all of them', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.subarray([0, 1, 2, 3, 4, 5, 6, 7]), (steps, readAt) => {
        const state = createRegisters()
        const index = createUploadIndex()
        index.replace(uploads)
        const view = createView(state, index)
        for (const [at, one] of steps.entries()) {
          if ('change' in one) {
            applyChange(state, one.change)
            view.touch([...one.change.set.map(([id]) => id), ...one.change.clear])
          } else if ('added' in one) view.touch(index.has(one.added.id) ? [] : index.add([one.added]))
          else view.touch(index.replace(one.rows).changed)
          // What was read before is recomputed only where it changed.
          if (readAt.includes(at % 8)) describeView(view)
        }
        expect(describeView(view)).toEqual(describeView(build(state, index.rows)))
      }),
      { numRuns: 2000, examples: [[moveIntoEachOther(), [1]]] },
    )
  })

  test('that is prepared in steps equals the one built at once, even if it is read meanwhile', async () => {
    const rows = Array.from({ length: 4000 }, (_, at): DriveUpload => {
      const cid = `bafkrei${String(at).padStart(52, '0')}`
      const fileName = `${at % 1900}.txt`
      return { id: String(at), cid, fileName, fileSizeInBytes: '5', mimeType: null, createdAt: at, encryption: false }
    })
    const state = createRegisters()
    const at = createStamp(undefined, 1, 'deviceA1')
    const set = rows.flatMap(({ cid }, index): Change['set'] =>
      index % 3 === 0 ? [[cid, `version/${rows[(index * 7) % 4000]?.cid}`, 5]] : [],
    )
    applyChange(state, { at, set, clear: [] })
    for (const isRead of [false, true]) {
      const view = build(state, rows)
      const prepared = view.prepare()
      if (isRead) await new Promise((resolve) => setTimeout(resolve)).then(() => view.list(''))
      await prepared
      expect(describeView(view)).toEqual(describeView(build(state, rows)))
    }
  })

  test('shows which files are private, even if the same content is uploaded another way', () => {
    const index = createUploadIndex()
    // Files of the same name would be its versions.
    const [first] = uploads
    if (first === undefined) throw new Error('there are uploads')
    index.replace([first])
    const view = createView(createRegisters(), index)
    const privateCids = () =>
      Array.from(view.nodes(), (node) => view.itemOf(node)).flatMap((item) =>
        item.kind === 'file' && item.isPrivate ? item.cid : [],
      )
    expect(privateCids()).toEqual([])
    view.touch(index.replace([{ ...first, private: true }]).changed)
    expect(privateCids()).toEqual([first.cid])
  })

  test('keeps the objects of folders that did not change', () => {
    fc.assert(
      fc.property(changes, change, (list, next) => {
        const state = stateOf(list)
        const view = build(state, uploads)
        const before = new Map(Array.from(view.nodes(), (node) => [node.id, view.itemOf(node)]))
        applyChange(state, next)
        view.touch([...next.set.map(([id]) => id), ...next.clear])
        for (const node of view.nodes()) {
          const item = view.itemOf(node)
          const known = before.get(node.id)
          const isTouched = next.clear.includes(node.id) || next.set.some(([id]) => id === node.id)
          if (item.kind === 'folder' && !isTouched && known?.path === item.path) expect(item).toBe(known)
        }
      }),
    )
  })

  test('keeps the object of a folder in one that is put into the trash', () => {
    const [outer, inner] = ['d-aaaaaaaaaaaaaaaaaaaaaa', 'd-dddddddddddddddddddddd']
    const at = createStamp(undefined, 1, 'deviceA1')
    const state = createRegisters()
    const set: Change['set'] = [
      [outer, 'name', 'n'],
      [inner, 'name', 'n'],
      [inner, 'parent', outer],
    ]
    applyChange(state, { at, set, clear: [] })
    const view = build(state, [])
    const itemOf = (id: string) => {
      const node = view.get(id)
      return node && view.itemOf(node)
    }
    const before = itemOf(inner)
    expect(before?.path).toBe('/n/n')
    applyChange(state, { at: createStamp(at, 2, 'deviceA1'), set: [[outer, 'trashedAt', 7]], clear: [] })
    view.touch([outer])
    expect(itemOf(inner)).toBe(before)
  })

  test('of equal states is equal, without cycles; each item has a path and no content is lost', () => {
    fc.assert(
      fc.property(
        changes.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        ([list, shuffled]) => {
          const view = build(stateOf(list), repeated)
          expect(describeView(build(stateOf(shuffled), repeated.toReversed()))).toEqual(describeView(view))
          for (const { id, parent } of view.nodes()) {
            const seen = new Set<string>()
            for (let at = parent; at !== ''; at = view.get(at)?.parent ?? '') {
              expect(seen.has(at), `${id} is in a cycle`).toBe(false)
              seen.add(at)
            }
          }
          const nodes = [...view.nodes()]
          const shown = ['', ...nodes.map(({ id }) => id)].flatMap((folder) =>
            view.list(folder).map(({ name }) => `${folder}/${name}`),
          )
          expect(new Set(shown).size).toBe(nodes.filter(({ trashedAt }) => trashedAt === undefined).length)
          const stored = new Set(nodes.flatMap(({ versions = [] }) => versions.map(({ cid }) => cid)))
          expect(stored).toEqual(new Set(cids))
        },
      ),
      { numRuns: 1000 },
    )
  })
})
