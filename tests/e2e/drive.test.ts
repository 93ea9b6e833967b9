// The drive of the SDK against a whole network: several devices of one account, and a service that cheats.
import {
  type Client,
  createClient,
  type Drive,
  deleteFile,
  exportDrive,
  getKey,
  isDriveKeyLost,
  type KnownDrive,
  listFiles,
  openDrive,
  openExportedDrive,
  openKeySession,
  resetDrive,
  shareFile,
  transferFile,
  uploadBytes,
  uploadEncryptedText,
} from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf } from '../code-of.ts'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'

let network: TestNetwork
beforeAll(async () => {
  network = await createTestNetwork({ CAIRN_RATE_FACTOR: '0' })
})
afterAll(() => network?.[Symbol.asyncDispose]())

const upload = async (client: Client, name: string, text = name) =>
  (await uploadBytes(client, new TextEncoder().encode(text), { name })).cid
const tree = (drive: Drive) =>
  drive
    .all()
    .map(({ path }) => path)
    .sort()
test('an account without a drive has its uploads in the root; folders, moves, names, stars, tags and colours stay', async () => {
  const client = await createKeyClient(network)
  await upload(client, 'a.txt')
  const { cid } = await uploadEncryptedText(client, 'secret', { name: 'diary.txt' })
  const drive = await openDrive(client)
  expect(drive).toMatchObject({ revision: 0, known: undefined })
  expect(tree(drive)).toEqual(['/a.txt', '/diary.txt'])
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
  expect(tree(other)).toEqual(['/a.txt', '/photos', '/photos/2026', '/photos/2026/journal.txt'])
  expect(other.find('/photos/2026/journal.txt')).toMatchObject({
    kind: 'file',
    id: cid,
    cid,
    isEncrypted: true,
    isStarred: true,
    tags: ['private'],
    name: 'journal.txt',
  })
  expect(other.list('photos')).toMatchObject([{ kind: 'folder', name: '2026', path: '/photos/2026' }])
  expect(other.find('/photos')).toMatchObject({ colour: 'red' })
  expect(other.known).toEqual(drive.known)
})

test('paths that do not fit are errors, and an edit that throws changes nothing', async () => {
  const client = await createKeyClient(network)
  await upload(client, 'a.txt')
  const drive = await openDrive(client)
  await drive.change((edit) => {
    edit.createFolder('/one')
    edit.createFolder('/one/two')
  })
  const before = tree(drive)
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
  expect(tree(drive)).toEqual(before)
  expect(drive.revision).toBe(1)
  expect(() => drive.list('/a.txt')).toThrow('/a.txt is a file')
  expect(() => drive.list('/none')).toThrow('/none does not exist')
})

test('devices that change the drive at the same time lose nothing', async () => {
  const client = await createKeyClient(network)
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await upload(client, name)
  // None of them has seen a change: they also create the drive at the same time.
  const devices = await Promise.all(Array.from({ length: 5 }, () => openDrive(client)))
  await Promise.all(
    devices.map((device, at) =>
      device.change((edit) => {
        edit.createFolder(`/from ${at}`)
        edit.createFolder('/same')
        edit.tag('/a.txt', `tag ${at}`)
      }),
    ),
  )
  await Promise.all(
    devices.flatMap((device, at) => [1, 2, 3].map((n) => device.change((e) => e.createFolder(`/from ${at}/${n}`)))),
  )
  for (const device of devices) await device.reload()
  const [first] = devices
  expect(first?.revision).toBe(20)
  for (const device of devices) expect(tree(device)).toEqual(tree(devices[0] ?? device))
  const paths = tree(await openDrive(client))
  for (const at of devices.keys()) for (const n of [1, 2, 3]) expect(paths).toContain(`/from ${at}/${n}`)
  expect(paths.filter((path) => path.startsWith('/same'))).toEqual([
    '/same',
    '/same (2)',
    '/same (3)',
    '/same (4)',
    '/same (5)',
  ])
  expect(first?.find('/a.txt')?.tags).toEqual(['tag 0', 'tag 1', 'tag 2', 'tag 3', 'tag 4'])
})

test('two moves that would make a cycle leave both folders in the tree', async () => {
  const client = await createKeyClient(network)
  const one = await openDrive(client)
  await one.change((edit) => {
    edit.createFolder('/x')
    edit.createFolder('/y')
  })
  const two = await openDrive(client)
  await Promise.all([one.change((e) => e.move('/x', '/y')), two.change((e) => e.move('/y', '/x'))])
  await one.reload()
  await two.reload()
  expect(tree(one)).toEqual(tree(two))
  expect(tree(one)).toHaveLength(2)
  expect([
    ['/x', '/x/y'],
    ['/y', '/y/x'],
  ]).toContainEqual(tree(one))
})

test('a file has versions, by its name in the root and by moving a file onto it', async () => {
  const client = await createKeyClient(network)
  const [v1, v2] = [await upload(client, 'report.txt', 'one'), await upload(client, 'report.txt', 'two')]
  const drive = await openDrive(client)
  expect(drive.list()).toMatchObject([{ path: '/report.txt', id: v1, cid: v2, versions: [{ cid: v2 }, { cid: v1 }] }])
  await drive.change((edit) => {
    edit.createFolder('/docs')
    edit.move('/report.txt', '/docs')
  })
  const v3 = await upload(client, 'report.txt', 'three')
  await drive.reload()
  expect(tree(drive)).toEqual(['/docs', '/docs/report.txt', '/report.txt'])
  await drive.change((edit) => edit.move('/report.txt', '/docs'))
  expect(tree(drive)).toEqual(['/docs', '/docs/report.txt'])
  const versions = () => {
    const file = drive.find('/docs/report.txt')
    return file?.kind === 'file' ? file.versions.map(({ cid }) => cid) : []
  }
  expect(versions()).toEqual([v3, v2, v1])
  await drive.change((edit) => edit.useVersion('/docs/report.txt', v1))
  expect(versions()).toEqual([v1, v3, v2])
  await drive.change((edit) => edit.trash('/docs/report.txt'))
  expect(tree(drive)).toEqual(['/docs'])
  // The content of a version that was deleted elsewhere is not shown any more.
  await deleteFile(client, { cid: v1 })
  const other = await openDrive(client)
  expect(other.trash()).toMatchObject([{ name: 'report.txt', cid: v3 }])
})

test('the trash keeps items, restores them, and deletes their content only when it is emptied', async () => {
  const client = await createKeyClient(network)
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await upload(client, name)
  const drive = await openDrive(client)
  await drive.change((edit) => {
    edit.createFolder('/docs')
    edit.move(['/a.txt', '/b.txt'], '/docs')
    edit.trash('/docs/a.txt')
    edit.trash('/docs')
  })
  expect(tree(drive)).toEqual(['/c.txt'])
  expect(
    drive
      .trash()
      .map(({ path }) => path)
      .sort(),
  ).toEqual(['/docs', '/docs/a.txt'])
  expect(await drive.emptyTrash()).toEqual({ items: 0, uploads: 0 })
  // Its folder is in the trash, so it is restored to the root.
  expect(await drive.change((edit) => edit.restore('/docs/a.txt'))).toBe('/a.txt')
  expect(await drive.change((edit) => edit.restore('docs'))).toBe('/docs')
  expect(tree(drive)).toEqual(['/a.txt', '/c.txt', '/docs', '/docs/b.txt'])
  await drive.change((edit) => edit.trash('/docs'))
  expect(await drive.emptyTrash({ olderThanMs: 0 })).toEqual({ items: 1, uploads: 1 })
  expect((await Array.fromAsync(listFiles(client))).map(({ fileName }) => fileName).sort()).toEqual(['a.txt', 'c.txt'])
  expect(drive.trash()).toEqual([])
  // The same content again is a new file.
  await upload(client, 'b.txt')
  await drive.reload()
  expect(tree(drive)).toEqual(['/a.txt', '/b.txt', '/c.txt'])
})

test('parts are merged when there are many, and every device still reads them', { timeout: 60_000 }, async () => {
  const client = await createKeyClient(network)
  const cid = await upload(client, 'a.txt')
  const drive = await openDrive(client)
  await drive.change((edit) => edit.createFolder('/first'))
  const early = await openDrive(client)
  for (let at = 0; at < 70; at++) await drive.change((edit) => edit.tag('/a.txt', `t${at % 3}`, at % 2 === 0))
  expect(drive.revision).toBe(71)
  expect(drive.size.parts).toBeLessThan(20)
  await early.reload()
  const late = await openDrive(client, { known: drive.known })
  for (const device of [early, late]) {
    expect(device.find('/a.txt')).toMatchObject({ id: cid, tags: drive.find('/a.txt')?.tags })
    expect(device.known).toEqual(drive.known)
  }
  await early.change((edit) => edit.createFolder('/last'))
  expect(tree(await openDrive(client, { known: late.known }))).toEqual(['/a.txt', '/first', '/last'])
})

/** A client whose service answers some reads of the drive as a test wants. */
function withAnswers(client: Client, answer: (genuine: DriveAnswer) => DriveAnswer): Client {
  return {
    ...client,
    fetch: async (input, init) => {
      const response = await client.fetch(input, init)
      if (!String(input).includes('/api/drive?')) return response
      return Response.json(answer((await response.json()) as DriveAnswer))
    },
  }
}
type DriveAnswer = { revision: number; parts: { first: number; last: number; data: string }[] }

test('a service that returns an older, shortened, reordered or foreign drive is recognised', async () => {
  const client = await createKeyClient(network)
  const drive = await openDrive(client)
  const revisions: DriveAnswer[] = []
  const keepAnswer = (genuine: DriveAnswer) => {
    revisions.push(genuine)
    return genuine
  }
  for (let at = 0; at < 4; at++) {
    await drive.change((edit) => edit.createFolder(`/f${at}`))
    await openDrive(withAnswers(client, keepAnswer))
  }
  const { known } = drive
  const openWith = (answer: (genuine: DriveAnswer) => DriveAnswer, remembered: KnownDrive | null = known ?? null) =>
    openDrive(withAnswers(client, answer), { known: remembered ?? undefined })
  expect((await openWith((genuine) => genuine)).revision).toBe(4)
  const older = revisions[1] ?? { revision: 0, parts: [] }
  expect(await codeOf(openWith(() => older))).toBe('VERIFICATION_FAILED')
  expect(await codeOf(openWith(() => ({ revision: 0, parts: [] })))).toBe('VERIFICATION_FAILED')
  // What remains trusted: a device that never saw the drive cannot know of later changes.
  expect((await openWith(() => older, null)).revision).toBe(older.revision)
  const forged: ((genuine: DriveAnswer) => DriveAnswer)[] = [
    ({ parts }) => ({ revision: 3, parts: parts.slice(1) }),
    ({ revision, parts }) => ({ revision, parts: parts.slice(0, -1) }),
    ({ revision, parts }) => ({ revision, parts: parts.filter((_, at) => at !== 1) }),
    ({ revision, parts: [a, b, ...rest] }) => ({
      revision,
      parts: a && b ? [{ ...b, first: 1, last: 1 }, { ...a, first: 2, last: 2 }, ...rest] : [],
    }),
    ({ revision, parts: [a, b, ...rest] }) => ({ revision, parts: a && b ? [b, a, ...rest] : [] }),
  ]
  for (const answer of forged)
    expect(await codeOf(openWith(answer, null)), answer.toString()).toBe('VERIFICATION_FAILED')

  // Another account creates a drive and shares its key: the service cannot pass it off as ours.
  const stranger = await createKeyClient(network)
  const foreign = await openDrive(stranger)
  await foreign.change((edit) => edit.createFolder('/trap'))
  await shareFile(stranger, foreign.known?.keyCid ?? '', [client.address])
  const trap = await exportDrive(stranger)
  expect(await codeOf(openDrive(withAnswers(client, () => ({ revision: 1, parts: trap?.parts ?? [] }))))).toBe(
    'VERIFICATION_FAILED',
  )
})

test('a fork is recognised by a device that saw the other branch', async () => {
  const client = await createKeyClient(network)
  const drive = await openDrive(client)
  await drive.change((edit) => edit.createFolder('/common'))
  // The service acknowledges a change, and shows other devices another one in its place.
  let hidden: DriveAnswer['parts'][number] | undefined
  const cheated = await openDrive({
    ...client,
    fetch: async (input, init) => {
      if (!String(input).includes('/api/drive/parts')) return client.fetch(input, init)
      const { first, last, data } = JSON.parse(String(init?.body)) as DriveAnswer['parts'][number]
      hidden = { first, last, data }
      return Response.json({ revision: last })
    },
  })
  await cheated.change((edit) => edit.createFolder('/hidden'))
  await drive.change((edit) => edit.createFolder('/shown'))
  expect(hidden).toBeDefined()
  expect(cheated.revision).toBe(drive.revision)
  expect(await codeOf(openDrive(client, { known: cheated.known }))).toBe('VERIFICATION_FAILED')
  expect((await openDrive(client, { known: drive.known })).revision).toBe(drive.revision)
})

test('a lost response does not repeat a change, and without a service nothing changes', async () => {
  const client = await createKeyClient(network)
  const drive = await openDrive(client)
  await drive.change((edit) => edit.createFolder('/one'))
  let lost = 0
  const unlucky = await openDrive({
    ...client,
    fetch: async (input, init) => {
      const response = await client.fetch(input, init)
      if (!String(input).includes('/api/drive/parts') || lost > 0) return response
      lost++
      throw new TypeError('connection reset')
    },
  })
  await unlucky.change((edit) => edit.createFolder('/two'))
  expect(lost).toBe(1)
  await drive.reload()
  expect(tree(drive)).toEqual(['/one', '/two'])
  expect(drive.revision).toBe(2)
  let isDown = false
  const offline = await openDrive({
    ...client,
    fetch: (input, init) => (isDown ? Promise.reject(new TypeError('down')) : client.fetch(input, init)),
  })
  isDown = true
  expect(await codeOf(offline.change((edit) => edit.createFolder('/three')))).toBe('NETWORK_ERROR')
  expect(tree(offline)).toEqual(['/one', '/two'])
  isDown = false
  await offline.change((edit) => edit.createFolder('/four'))
  expect(tree(offline)).toEqual(['/four', '/one', '/two'])
})

test('the service stores ciphertext only, and an exported drive opens with its key', async () => {
  const client = await createKeyClient(network)
  const drive = await openDrive(client)
  await drive.change((edit) => edit.createFolder('/a very private folder'))
  const exported = await exportDrive(client)
  if (exported === undefined) throw new Error('no drive')
  expect(exported.keyCid).toBe(drive.known?.keyCid)
  for (const { data } of exported.parts) expect(Buffer.from(data, 'base64').toString('latin1')).not.toContain('private')
  const { masterKey } = await getKey(client, exported.keyCid)
  const changes = await openExportedDrive(exported, masterKey)
  const target = await openDrive(await createKeyClient(network))
  expect(await target.merge(changes)).toBe(2)
  expect(await target.merge(changes)).toBe(0)
  expect(tree(target)).toEqual(['/a very private folder'])
  const stranger = await createKeyClient(network)
  expect(await codeOf(getKey(stranger, exported.keyCid))).toBe('ACCESS_DENIED')
  // The address of another session never opens it, even with the API key of the account.
  const keySession = await openKeySession(createClient({ network: network.profile }), {
    privateKey: stranger.privateKey,
  })
  expect(await codeOf(openDrive({ ...client, keySession }))).toBe('ACCESS_DENIED')
})

test('an upload is put into a folder: as a file of its own, as a version, and where it is already', async () => {
  const client = await createKeyClient(network)
  const first = await upload(client, 'a.txt', 'first')
  const drive = await openDrive(client)
  await drive.change((edit) => edit.star('/a.txt'))
  const second = await upload(client, 'a.txt', 'second')
  await drive.reload({ isQuick: true })
  expect(drive.get(first)).toMatchObject({ cid: second, isStarred: true })
  // Not a version of the file in the root: it was uploaded into a folder.
  const place = (cid: string, path: string) => drive.change((edit) => edit.place(cid, path))
  expect(await place(second, '/in/box/a.txt')).toBe('/in/box/a.txt')
  expect(drive.get(first)).toMatchObject({ cid: first, path: '/a.txt' })
  expect(drive.get(second)).toMatchObject({ cid: second, path: '/in/box/a.txt', isStarred: false })
  const third = await upload(client, 'a.txt', 'third')
  await drive.reload({ isQuick: true })
  expect(await place(third, 'in/box/a.txt')).toBe('/in/box/a.txt')
  expect(drive.find('/in/box/a.txt')).toMatchObject({ cid: third, versions: [{ cid: third }, { cid: second }] })
  expect(await place(third, '/elsewhere.txt')).toBe('/in/box/a.txt')
  await drive.change((edit) => edit.trash('/in/box'))
  expect(await place(second, '/back.txt')).toBe('/back.txt')
  await place(second, '/')
  const other = await openDrive(client)
  expect(tree(other)).toEqual(['/a.txt', '/back.txt', '/in'])
  expect(await codeOf(drive.change((edit) => edit.place('bafkqaaa', '/x')))).toBe('PATH_NOT_FOUND')
})

test('a listener learns of edits at once, of undone ones, and of those of other devices', async () => {
  const client = await createKeyClient(network)
  await upload(client, 'a.txt')
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

test('a drive opens with the newest uploads or with kept ones, and notices what others added and deleted', async () => {
  const client = await createKeyClient(network)
  const cids = [await upload(client, 'a.txt'), await upload(client, 'b.txt')]
  const first = await openDrive(client, { isPartial: true })
  expect(first.isListed).toBe(true)
  const kept = first.uploads
  await upload(client, 'c.txt')
  const second = await openDrive(client, { uploads: kept, isQuick: true })
  expect(tree(second)).toEqual(['/a.txt', '/b.txt', '/c.txt'])
  await deleteFile(client, { cid: cids[0] ?? '' })
  await second.reload({ isQuick: true })
  expect(tree(second)).toEqual(['/b.txt', '/c.txt'])
  const third = await openDrive(client, { uploads: kept, isQuick: true })
  expect(tree(third)).toEqual(['/b.txt', '/c.txt'])
  await third.change((edit) => {
    edit.tag('/b.txt', 'one')
    edit.tag('/c.txt', 'one')
    edit.tag('/c.txt', 'two')
  })
  expect(third.tags()).toEqual(['one', 'two'])
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
  expect(tree(other)).toEqual([])
  await other.change((edit) => edit.removeContact(ida))
  await drive.reload()
  expect(drive.contacts()).toMatchObject([{ address: solana }])
  expect(await codeOf(drive.change((edit) => edit.setContact('ida', 'Ida')))).toBe('INVALID_ADDRESS')
  expect(await codeOf(drive.change((edit) => edit.setContact(ida, '')))).toBe('INVALID_LABEL')
})

test('a drive whose key is lost is replaced by a new one, which has all uploads; no other drive is removed', async () => {
  const client = await createKeyClient(network)
  const other = await createKeyClient(network)
  expect(await resetDrive(client)).toBeUndefined()
  await upload(client, 'a.txt')
  const drive = await openDrive(client)
  await drive.change((edit) => {
    edit.createFolder('/letters')
    edit.move('/a.txt', '/letters')
  })
  expect(await codeOf(resetDrive(client))).toBe('CONFLICT')
  const { keyCid = '' } = drive.known ?? {}
  const { masterKey } = await getKey(client, keyCid)
  await transferFile(client, keyCid, other.address, { resetSharedTo: true })
  const failure: unknown = await openDrive(client).catch((error: unknown) => error)
  expect(isDriveKeyLost(failure)).toBe(true)
  const refuse = () => Promise.reject(new Error('no space'))
  await expect(resetDrive(client, { keep: refuse })).rejects.toThrow('no space')
  expect(isDriveKeyLost(await openDrive(client).catch((error: unknown) => error))).toBe(true)

  const old = await resetDrive(client)
  expect(old).toMatchObject({ keyCid, parts: [{ first: 1, last: 1 }] })
  const fresh = await openDrive(client)
  expect([fresh.revision, tree(fresh)]).toEqual([0, ['/a.txt']])
  await fresh.change((edit) => edit.star('/a.txt'))
  expect(fresh.known?.keyCid).not.toBe(keyCid)
  // A key that is found again brings back what was lost.
  await fresh.merge(await openExportedDrive({ parts: old?.parts ?? [] }, masterKey))
  expect(tree(await openDrive(client))).toEqual(['/letters', '/letters/a.txt'])
  expect(await codeOf(openDrive(client, { known: drive.known }))).toBe('VERIFICATION_FAILED')
})
