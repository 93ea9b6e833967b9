// The drive of the SDK on one device: folders, versions, trash, marks and contacts.
import { type Drive, deleteFile, listFiles, openDrive, uploadEncryptedText } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, thrownCodeOf } from '../code-of.ts'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { listPaths, uploadNamed } from './drive-tree.ts'

let network: TestNetwork

beforeAll(async () => {
  network = await createTestNetwork({ CAIRN_RATE_FACTOR: '0' })
})

afterAll(() => network?.[Symbol.asyncDispose]())

test('an account without a drive has its uploads in the root; folders, moves, names, stars, tags and colours persist', async () => {
  const client = await createKeyClient(network)
  await uploadNamed(client, 'a.txt')
  const { cid } = await uploadEncryptedText(client, 'secret', { name: 'diary.txt' })
  const drive = await openDrive(client)
  expect(drive).toMatchObject({ revision: 0, known: undefined })
  expect(listPaths(drive)).toEqual(['/a.txt', '/diary.txt'])
  const [moved] = await drive.change((edit) => {
    edit.createFolder('/photos')
    edit.createFolder('photos/2026/')
    edit.star('/diary.txt')
    edit.tag('/diary.txt', 'private')
    edit.setColour('/photos', 'red')
    return edit.move('/diary.txt', '/photos/2026/journal.txt')
  })
  expect(moved).toBe('/photos/2026/journal.txt')
  expect(drive.revision).toBe(1)
  const other = await openDrive(client)
  expect(listPaths(other)).toEqual(['/a.txt', '/photos', '/photos/2026', '/photos/2026/journal.txt'])
  expect(other.find('/photos/2026/journal.txt')).toMatchObject({
    kind: 'file',
    id: cid,
    cid,
    isEncrypted: true,
    isPrivate: false,
    isStarred: true,
    tags: ['private'],
    name: 'journal.txt',
  })
  expect(other.list('photos')).toMatchObject([{ kind: 'folder', name: '2026', path: '/photos/2026' }])
  expect(other.find('/photos')).toMatchObject({ colour: 'red' })
  expect(other.known).toEqual(drive.known)
})

test('rejects paths that do not fit, and an edit that throws changes nothing', async () => {
  const client = await createKeyClient(network)
  await uploadNamed(client, 'a.txt')
  const drive = await openDrive(client)
  await drive.change((edit) => {
    edit.createFolder('/one')
    edit.createFolder('/one/two')
  })
  const before = listPaths(drive)
  const wrong: [(edit: Parameters<Parameters<Drive['change']>[0]>[0]) => unknown, string][] = [
    [(edit) => edit.move('/one', '/one/two'), 'INVALID_PATH'],
    [(edit) => edit.move('/none', '/one'), 'PATH_NOT_FOUND'],
    [(edit) => edit.move('/a.txt', '/none/b.txt'), 'PATH_NOT_FOUND'],
    [(edit) => edit.move('/a.txt', '/none/'), 'PATH_NOT_FOUND'],
    [(edit) => edit.move('/one', '/a.txt'), 'FILE_EXISTS'],
    [(edit) => edit.move('/one', '/a.txt/b'), 'NOT_A_DIRECTORY'],
    [(edit) => edit.move(['/a.txt', '/one/two'], '/new'), 'PATH_NOT_FOUND'],
    [(edit) => edit.move('/a.txt', '/one/..'), 'INVALID_PATH'],
    [(edit) => edit.move('/a.txt', '/line\nbreak'), 'INVALID_PATH'],
    [(edit) => edit.move('/a.txt', '/one/ '), 'INVALID_PATH'],
    [(edit) => edit.createFolder(' '), 'INVALID_PATH'],
    [(edit) => edit.createFolder('/one'), 'FILE_EXISTS'],
    [(edit) => edit.createFolder('/'), 'FILE_EXISTS'],
    [(edit) => edit.trash('/'), 'INVALID_PATH'],
    [(edit) => edit.tag('/one', ' '), 'INVALID_LABEL'],
    [(edit) => edit.restore('/one'), 'PATH_NOT_FOUND'],
    [(edit) => edit.useVersion('/a.txt', 'bafy'), 'PATH_NOT_FOUND'],
  ]
  for (const [edit, code] of wrong) {
    const work = drive.change((editor) => {
      editor.createFolder('/made')
      edit(editor)
    })
    expect(await codeOf(work), edit.toString()).toBe(code)
  }
  expect(listPaths(drive)).toEqual(before)
  expect(drive.revision).toBe(1)
  expect(() => drive.list('/a.txt')).toThrow('/a.txt is a file')
  expect(() => drive.list('/none')).toThrow('/none does not exist')
})

test('a file gets versions by its name in the root, and when a file is moved onto it', async () => {
  const client = await createKeyClient(network)
  const [v1, v2] = [await uploadNamed(client, 'report.txt', 'one'), await uploadNamed(client, 'report.txt', 'two')]
  const drive = await openDrive(client)
  expect(drive.list()).toMatchObject([{ path: '/report.txt', id: v1, cid: v2, versions: [{ cid: v2 }, { cid: v1 }] }])
  await drive.change((edit) => {
    edit.createFolder('/docs')
    edit.move('/report.txt', '/docs')
  })
  const v3 = await uploadNamed(client, 'report.txt', 'three')
  await drive.reload()
  expect(listPaths(drive)).toEqual(['/docs', '/docs/report.txt', '/report.txt'])
  await drive.change((edit) => edit.move('/report.txt', '/docs'))
  expect(listPaths(drive)).toEqual(['/docs', '/docs/report.txt'])
  const versions = () => {
    const file = drive.find('/docs/report.txt')
    return file?.kind === 'file' ? file.versions.map(({ cid }) => cid) : []
  }
  expect(versions()).toEqual([v3, v2, v1])
  await drive.change((edit) => edit.useVersion('/docs/report.txt', v1))
  expect(versions()).toEqual([v1, v3, v2])
  await drive.change((edit) => edit.trash('/docs/report.txt'))
  expect(listPaths(drive)).toEqual(['/docs'])
  // The content of a version deleted elsewhere is no longer shown.
  await deleteFile(client, { cid: v1 })
  const other = await openDrive(client)
  expect(other.trash()).toMatchObject([{ name: 'report.txt', cid: v3 }])
})

test('the trash keeps items, restores them, and deletes their content only when it is emptied', async () => {
  const client = await createKeyClient(network)
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await uploadNamed(client, name)
  const drive = await openDrive(client)
  await drive.change((edit) => {
    edit.createFolder('/docs')
    edit.move(['/a.txt', '/b.txt'], '/docs')
    edit.trash('/docs/a.txt')
    edit.trash('/docs')
  })
  expect(listPaths(drive)).toEqual(['/c.txt'])
  expect(
    drive
      .trash()
      .map(({ path }) => path)
      .sort(),
  ).toEqual(['/docs', '/docs/a.txt'])
  expect(await drive.emptyTrash()).toEqual({ items: 0, uploads: 0, kept: 0 })
  // Its folder is in the trash, so it is restored to the root.
  expect(await drive.change((edit) => edit.restore('/docs/a.txt'))).toBe('/a.txt')
  expect(await drive.change((edit) => edit.restore('docs'))).toBe('/docs')
  expect(listPaths(drive)).toEqual(['/a.txt', '/c.txt', '/docs', '/docs/b.txt'])
  await drive.change((edit) => edit.trash('/docs'))
  expect(await drive.emptyTrash({ olderThanMs: 0 })).toEqual({ items: 1, uploads: 1, kept: 0 })
  expect((await Array.fromAsync(listFiles(client))).map(({ fileName }) => fileName).sort()).toEqual(['a.txt', 'c.txt'])
  expect(drive.trash()).toEqual([])
  // The same content again is a new file.
  await uploadNamed(client, 'b.txt')
  await drive.reload()
  expect(listPaths(drive)).toEqual(['/a.txt', '/b.txt', '/c.txt'])
})

test('content uploaded again after it went to the trash stays when the trash is emptied', async () => {
  const client = await createKeyClient(network)
  for (const name of ['a.txt', 'b.txt', 'b.txt']) await uploadNamed(client, name)
  const drive = await openDrive(client)
  await drive.change((edit) => {
    edit.createFolder('/docs')
    edit.move(['/a.txt', '/b.txt'], '/docs')
    edit.trash('/docs')
  })
  // Clocks count whole milliseconds.
  const now = Date.now()
  await expect.poll(() => Date.now()).toBeGreaterThan(now)
  await uploadNamed(client, 'a.txt')
  expect(await drive.emptyTrash({ olderThanMs: 0 })).toEqual({ items: 1, uploads: 3, kept: 0 })
  expect(listPaths(drive)).toEqual(['/a.txt'])
  expect((await Array.fromAsync(listFiles(client))).map(({ fileName }) => fileName)).toEqual(['a.txt'])
  await drive.reload()
  expect(listPaths(drive)).toEqual(['/a.txt'])
})

test('puts an upload into a folder: as its own file, as a version, and where it is already', async () => {
  const client = await createKeyClient(network)
  const first = await uploadNamed(client, 'a.txt', 'first')
  const drive = await openDrive(client)
  await drive.change((edit) => edit.star('/a.txt'))
  const second = await uploadNamed(client, 'a.txt', 'second')
  await drive.reload({ isQuick: true })
  expect(drive.get(first)).toMatchObject({ cid: second, isStarred: true })
  // Not a version of the file in the root: it was uploaded into a folder.
  const place = (cid: string, path: string) => drive.change((edit) => edit.place(cid, path))
  expect(await place(second, '/in/box/a.txt')).toBe('/in/box/a.txt')
  expect(drive.get(first)).toMatchObject({ cid: first, path: '/a.txt' })
  expect(drive.get(second)).toMatchObject({ cid: second, path: '/in/box/a.txt', isStarred: false })
  const third = await uploadNamed(client, 'a.txt', 'third')
  await drive.reload({ isQuick: true })
  expect(await place(third, 'in/box/a.txt')).toBe('/in/box/a.txt')
  expect(drive.find('/in/box/a.txt')).toMatchObject({ cid: third, versions: [{ cid: third }, { cid: second }] })
  expect(await place(third, '/elsewhere.txt')).toBe('/in/box/a.txt')
  await drive.change((edit) => edit.trash('/in/box'))
  expect(await place(second, '/back.txt')).toBe('/back.txt')
  await place(second, '/')
  const other = await openDrive(client)
  expect(listPaths(other)).toEqual(['/a.txt', '/back.txt', '/in'])
  expect(await codeOf(drive.change((edit) => edit.place('bafkqaaa', '/x')))).toBe('PATH_NOT_FOUND')
})

test('an upload can be at each path that the service accepts, and a rejected one leaves no folders', async () => {
  const client = await createKeyClient(network)
  // Hebrew and Arabic names often contain direction marks.
  const name = '\u200F\u05E9\u05DC\u05D5\u05DD.txt'
  const cid = await uploadNamed(client, name)
  const drive = await openDrive(client)
  const codes = await drive.change((edit) => {
    const codes = ['/new/two\nlines.txt', '/new/../a.txt', `/new/${'x'.repeat(1025)}`].map((path) =>
      thrownCodeOf(() => edit.place(cid, path)),
    )
    edit.place(cid, `/\u200Ebox/${name}`)
    return codes
  })
  expect(codes).toEqual(['INVALID_PATH', 'INVALID_PATH', 'INVALID_PATH'])
  const paths = ['/\u200Ebox', `/\u200Ebox/${name}`]
  expect([listPaths(drive), listPaths(await openDrive(client))]).toEqual([paths, paths])
  expect(await codeOf(drive.change((edit) => edit.tag(paths[0] ?? '', 'a\u202E')))).toBe('INVALID_LABEL')
})

test('uploading earlier content again makes it current on every device, and its upload is not a copy', async () => {
  const client = await createKeyClient(network)
  const upload = (text: string) => uploadNamed(client, 'config.json', text)
  const [a, b] = [await upload('A'), await upload('B')]
  const drive = await openDrive(client)
  await upload('A')
  await drive.reload({ isQuick: true })
  const phone = await openDrive(client)
  const content = (path = '/config.json') =>
    [drive, phone].map((device) => {
      const file = device.find(path)
      return file?.kind === 'file' ? file.versions.map(({ cid }) => cid) : []
    })
  expect(content()).toEqual([
    [a, b],
    [a, b],
  ])
  // Without it, B would be the current content.
  expect(drive.duplicates()).toEqual([])
  const c = await upload('C')
  await drive.reload()
  expect(drive.duplicates()).toMatchObject([{ copies: [{ cid: a }] }])
  // The same in a folder, where its path identifies the file.
  await drive.change((edit) => {
    edit.createFolder('/f')
    edit.move('/config.json', '/f')
  })
  await upload('B')
  await drive.reload()
  expect(await drive.change((edit) => edit.place(b, '/f/config.json'))).toBe('/f/config.json')
  await phone.reload()
  expect(content('/f/config.json')).toEqual([
    [b, c, a],
    [b, c, a],
  ])
})

test('notifies a listener of edits at once, of undone ones, and of those of other devices', async () => {
  const client = await createKeyClient(network)
  await uploadNamed(client, 'a.txt')
  const drive = await openDrive(client)
  const seen: string[] = []
  const stop = drive.subscribe(() => seen.push(drive.all()[0]?.name ?? ''))
  const renaming = drive.change((edit) => edit.move('/a.txt', '/b.txt'))
  await renaming
  expect(seen[0]).toBe('b.txt')
  const before = seen.length
  expect(await drive.change(() => 'nothing')).toBe('nothing')
  await drive.reload()
  expect(seen).toHaveLength(before)
  expect(drive.revision).toBe(1)
  const phone = await openDrive(client)
  await phone.change((edit) => edit.move('/b.txt', '/c.txt'))
  await drive.reload({ isQuick: true })
  expect(seen.at(-1)).toBe('c.txt')
  expect(await codeOf(drive.change((edit) => edit.star('/c.txt'), { signal: AbortSignal.abort() }))).toBe('ABORTED')
  expect(drive.find('/c.txt')?.isStarred).toBe(false)
  stop()
  const last = seen.length
  await drive.change((edit) => edit.star('/c.txt'))
  expect(seen).toHaveLength(last)
})

test('contacts are part of the index: labels, last used first, on every device', async () => {
  const client = await createKeyClient(network)
  const drive = await openDrive(client)
  const ida = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
  const solana = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'
  await drive.change((edit) => {
    edit.setContact(ida, ' Ida ')
    edit.setContact(solana, 'Sol')
  })
  await drive.change((edit) => edit.markContactsUsed([solana]))
  const other = await openDrive(client)
  expect(other.contacts()).toMatchObject([
    { address: solana, label: 'Sol' },
    { address: ida.toLowerCase(), label: 'Ida', usedAt: 0 },
  ])
  expect(listPaths(other)).toEqual([])
  await other.change((edit) => edit.removeContact(ida))
  await drive.reload()
  expect(drive.contacts()).toMatchObject([{ address: solana }])
  expect(await codeOf(drive.change((edit) => edit.setContact('ida', 'Ida')))).toBe('INVALID_ADDRESS')
  expect(await codeOf(drive.change((edit) => edit.setContact(ida, '')))).toBe('INVALID_LABEL')
})
