// Several devices change a drive at random, by what they saw: nothing is lost that no device removed, and all of them agree.
import { CairnError } from '@cairn/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTestDevice, createTestService, type TestDevice, type TestService } from './devices.fixture.ts'
import type { DriveEditor } from './edit.ts'

/** The long ring runs more cases. */
const fuzz = Number(process.env['CAIRN_TEST_FUZZ'] ?? 1)
const day = 86_400_000
const clocks = [0, 0, 0, -day / 24, day / 24, -40 * day, 40 * day]
const names = ['a', 'b', 'notes.txt', 'a (2)', 'docs']
const fileNames = ['a', 'notes.txt', 'other.txt']
const contents = Array.from({ length: 40 }, (_, at) => `bafkrei${String(at).padStart(52, 'a')}`)

type Item = ReturnType<TestDevice['items']>[number]
type Pick = <T>(from: readonly T[]) => T
/** What devices did since all of them agreed. */
type Round = {
  /** Ids of items and versions that were put into the trash, also with a folder above. */
  trashed: Set<string>
  /** Ids of items and versions that were moved, placed or restored, also with a folder above. */
  moved: Set<string>
  /** Ids of the items that edits named. */
  named: Set<string>
  /** The values that edits wrote, by id and field. */
  values: Map<string, boolean[]>
  isEmptied: boolean
  isUploaded: boolean
  story: string[]
}

const versionsOf = (item: Item): string[] => (item.kind === 'file' ? item.versions.map(({ cid }) => cid) : [])
/** The name without the numbers that tell equal names apart. */
const bareName = (name: string): string => name.replaceAll(/ \(\d+\)/g, '')
const joinPath = (folder: string, name: string): string => (folder === '/' ? `/${name}` : `${folder}/${name}`)
const isOut = ({ isInTrash }: Item): boolean => !isInTrash

/** One random action of a device. */
async function act(
  service: TestService,
  devices: readonly TestDevice[],
  pick: Pick,
  round: Round,
  isMeanwhile = false,
) {
  const device = pick(devices)
  const items = device.items()
  const shown = items.filter(isOut)
  const byId = new Map(items.map((item) => [item.id, item]))
  const mark = (set: Set<string>, item: Item | undefined) => {
    if (item === undefined) return
    round.named.add(item.id)
    const isBelow = (one: Item): boolean => {
      for (let at: Item | undefined = one; at !== undefined; at = byId.get(at.parent))
        if (at.id === item.id) return true
      return false
    }
    for (const one of items.filter(isBelow)) for (const id of [one.id, ...versionsOf(one)]) set.add(id)
  }
  const itemAt = (path: string) => byId.get(device.find(path)?.id ?? '')
  const edit = (text: string, run: (editor: DriveEditor) => unknown) => {
    round.story.push(`${device.name} ${text}`)
    try {
      device.change(run)
    } catch (error) {
      if (!CairnError.is(error) || error.code === 'INTERNAL') throw error
      round.story.push(`  ${error.code}`)
    }
  }
  const folder = pick(['/', ...shown.flatMap(({ kind, path }) => (kind === 'folder' ? [path] : []))])
  const item = shown.length === 0 ? undefined : pick(shown)
  const action = pick([
    ...(['mkdir', 'move', 'move', 'rename', 'star', 'tag', 'trash', 'trash', 'restore', 'place', 'version'] as const),
    ...(['upload', 'upload'] as const),
    ...(isMeanwhile ? [] : (['empty', 'sync'] as const)),
  ])
  if (action === 'mkdir') edit('mkdir', (editor) => editor.createFolder(joinPath(folder, pick(names))))
  else if (action === 'upload') {
    const [cid, name] = [pick(contents), pick(fileNames)]
    service.upload(cid, name)
    round.isUploaded = true
    round.story.push(`upload ${name} ${cid.slice(-2)}`)
  } else if (action === 'sync') device.sync()
  else if (action === 'empty') {
    round.isEmptied = true
    const ids = items.flatMap(({ id, trashedAt }) => (trashedAt !== undefined && pick([true, true, false]) ? [id] : []))
    round.story.push(`${device.name} empty ${ids.map((id) => id.slice(-4))}`)
    const others = devices.filter((one) => one !== device)
    const meanwhile = () => void act(service, others, pick, round, true)
    await device.emptyTrash(ids, pick([[], [meanwhile], [meanwhile, meanwhile]]))
  } else if (action === 'restore') {
    const trash = items.filter(({ trashedAt }) => trashedAt !== undefined)
    if (trash.length === 0) return
    const one = pick(trash)
    mark(round.moved, one)
    edit(`restore ${one.path} ${one.id.slice(-4)}`, (editor) => editor.restore(one.id))
  } else if (action === 'place') {
    const files = items.filter(({ kind }) => kind === 'file')
    if (files.length === 0) return
    const file = pick(files)
    const [cid, path] = [pick(versionsOf(file)), joinPath(folder, pick(fileNames))]
    // A file with the name becomes newer content of it, also if the name of a folder gives it a number.
    for (const one of [file, ...shown.filter(({ name }) => bareName(name) === path.split('/').at(-1))]) {
      mark(round.moved, one)
    }
    round.named.add(cid)
    edit(`place ${cid.slice(-2)} ${path}`, (editor) => editor.place(cid, path))
  } else if (item === undefined) return
  else if (action === 'move') {
    mark(round.moved, item)
    mark(round.moved, itemAt(joinPath(folder, item.name)))
    edit(`move ${item.path} to ${folder}`, (editor) => editor.move(item.path, folder))
  } else if (action === 'rename') {
    const path = joinPath(item.path.slice(0, item.path.lastIndexOf('/')) || '/', pick(names))
    const other = itemAt(path)
    if (other !== undefined) for (const one of [item, other]) mark(round.moved, one)
    round.named.add(item.id)
    edit(`rename ${item.path} to ${path}`, (editor) => editor.move(item.path, path))
  } else if (action === 'trash') {
    mark(round.trashed, item)
    edit(`trash ${item.path} ${item.id.slice(-4)}`, (editor) => editor.trash(item.path))
  } else if (action === 'version') {
    round.named.add(item.id)
    const cid = pick([...versionsOf(item), contents[0] ?? ''])
    edit(`version ${item.path} ${cid.slice(-2)}`, (editor) => editor.useVersion(item.path, cid))
  } else {
    const value = action === 'star' ? !item.isStarred : !item.tags.includes('x')
    edit(`${action} ${item.path} ${value}`, (editor) => {
      if (action === 'star') editor.star(item.path, value)
      else editor.tag(item.path, 'x', value)
      round.named.add(item.id)
      const key = `${item.id} ${action}`
      round.values.set(key, [...(round.values.get(key) ?? []), value])
    })
  }
}

/** Everything that a device shows, in an order of its own. */
function describe(device: TestDevice): string {
  const items = device.items().sort((one, other) => (one.id < other.id ? -1 : 1))
  return JSON.stringify([items, ['', ...items.map(({ id }) => id)].map((id) => device.list(id))])
}

/** Returns what a round lost or changed although no device asked for it. */
function findLosses(before: readonly Item[], after: readonly Item[], round: Round, isAlone: boolean): string[] {
  const { trashed, moved, named, values, isEmptied, isUploaded, story } = round
  const found: string[] = []
  // What one device puts into a folder that another one deletes at the same time is in the trash.
  const isExempt = (id: string) => trashed.has(id) || (moved.has(id) && (trashed.size > 0 || isEmptied))
  const idsOf = (item: Item) => (item.kind === 'file' ? versionsOf(item) : [item.id])
  const out = new Set(after.filter(isOut).flatMap(idsOf))
  for (const item of before.filter(isOut)) {
    for (const id of idsOf(item)) if (!out.has(id) && !isExempt(id)) found.push(`${item.path} ${id} is gone`)
  }
  const now = new Map(after.map((item) => [item.id, item]))
  for (const was of before) {
    const { id, path } = was
    const is = now.get(id)
    if (is === undefined) {
      if (was.isInTrash && !isEmptied && !moved.has(id) && !named.has(id))
        found.push(`${path} ${id} of the trash is gone`)
      continue
    }
    if (!isExempt(id) && !moved.has(id) && !(isEmptied && was.isInTrash)) {
      const allowed = (field: string, value: boolean) => values.get(`${id} ${field}`) ?? [value]
      if (!allowed('star', was.isStarred).includes(is.isStarred)) found.push(`the star of ${path} is ${is.isStarred}`)
      const [hadTag, hasTag] = [was.tags.includes('x'), is.tags.includes('x')]
      if (!allowed('tag', hadTag).includes(hasTag)) found.push(`the tag of ${path} is ${hasTag}`)
    }
    // What an edit does not name stays as it is.
    if (!isAlone || isEmptied || isUploaded || named.has(id) || moved.has(id) || trashed.has(id)) continue
    if (was.parent !== is.parent || was.isInTrash !== is.isInTrash) found.push(`${path} ${id} moved to ${is.path}`)
    if (bareName(was.name) !== bareName(is.name)) found.push(`${path} is named ${is.name}`)
    if (was.kind === 'file' && is.kind === 'file' && was.cid !== is.cid) found.push(`${path} has other content`)
  }
  return found.length === 0 ? [] : [...found, ...story]
}

test('devices with any clock lose nothing, agree, and change only what they name', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.gen(), async (generate) => {
      const pick: Pick = (from) => {
        const picked = from[generate(fc.nat, from.length - 1)]
        if (picked === undefined) throw new RangeError('Nothing to choose')
        return picked
      }
      const service = createTestService()
      const devices = ['A1', 'B2', 'C3'].map((name) => createTestDevice(service, name, pick(clocks)))
      const [first] = devices
      if (first === undefined) throw new Error('there are devices')
      for (let count = 0; count < 12; count++) {
        const before = first.items()
        const round: Round = {
          ...{ trashed: new Set(), moved: new Set(), named: new Set(), values: new Map() },
          ...{ isEmptied: false, isUploaded: false, story: [] },
        }
        const actions = pick([1, 1, 3, 6])
        for (let at = 0; at < actions; at++) await act(service, devices, pick, round)
        for (const device of devices) device.sync()
        const after = first.items()
        const fresh = createTestDevice(service, 'Z9', 0)
        fresh.sync()
        for (const device of [...devices, fresh]) expect(describe(device)).toBe(describe(first))
        for (const { id, path, isInTrash } of after) if (!isInTrash) expect(first.find(path)?.id).toBe(id)
        const shown = new Set(after.flatMap(versionsOf))
        expect(service.uploads.filter(({ cid }) => !shown.has(cid))).toEqual([])
        expect(findLosses(before, after, round, actions === 1)).toEqual([])
      }
    }),
    // A smaller example takes minutes to find, and the actions of the last round tell enough.
    { numRuns: 100 * fuzz, endOnFailure: true },
  )
})
