// Several devices change one drive, with lost responses, many parts and kept uploads.
import { type Client, createUploadLink, type Drive, deleteFile, openDrive, uploadWithLink } from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf } from '../code-of.ts'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { listPaths, uploadNamed } from './drive-tree.ts'

let network: TestNetwork

beforeAll(async () => {
  network = await createTestNetwork({ CAIRN_RATE_FACTOR: '0' })
})

afterAll(() => network?.[Symbol.asyncDispose]())

test('devices that change the drive at the same time lose nothing', async () => {
  const client = await createKeyClient(network)
  for (const name of ['a.txt', 'b.txt', 'c.txt']) await uploadNamed(client, name)
  // None of them has seen a change, so they also create the drive at the same time.
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
  for (const device of devices) expect(listPaths(device)).toEqual(listPaths(devices[0] ?? device))
  const paths = listPaths(await openDrive(client))
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

test('a file that arrives through an upload link replaces no file of the drive, on any device', async () => {
  const client = await createKeyClient(network)
  const cid = await uploadNamed(client, 'report.txt')
  const device = await openDrive(client)
  const { url } = await createUploadLink(client)
  const sent = await uploadWithLink(url, new Blob(['not the report']), { name: 'report.txt' })
  await device.reload()
  for (const drive of [device, await openDrive(client)]) {
    expect(drive.find('/report.txt')).toMatchObject({ cid, isReceived: false })
    expect(drive.find('/report (2).txt')).toMatchObject({ cid: sent.cid, isReceived: true })
  }
  await device.change((edit) => edit.move('/report (2).txt', '/from Ida.txt'))
  expect(device.find('/from Ida.txt')).toMatchObject({ cid: sent.cid, isReceived: false })
})

test('an item moved by one device and renamed by another at the same time gets its new place and its new name', async () => {
  const client = await createKeyClient(network)
  await uploadNamed(client, 'a.txt')
  const one = await openDrive(client)
  await one.change((edit) => {
    edit.createFolder('/x')
    edit.createFolder('/letters')
  })
  const two = await openDrive(client)
  const moveBoth = () => one.change((e) => void e.move(['/a.txt', '/letters'], '/x'))
  const renameBoth = () =>
    two.change((e) => {
      e.move('/a.txt', '/b.txt')
      e.move('/letters', '/mail')
    })
  await Promise.all([moveBoth(), renameBoth()])
  for (const device of [one, two]) {
    await device.reload()
    expect(listPaths(device)).toEqual(['/x', '/x/b.txt', '/x/mail'])
  }
  // In reverse order, without a previous name or folder.
  await uploadNamed(client, 'c.txt')
  await Promise.all([one.reload(), two.reload()])
  await two.change((e) => void e.move('/c.txt', '/d.txt'))
  await one.change((e) => void e.move('/c.txt', '/x'))
  await two.reload()
  expect(listPaths(two)).toEqual(['/x', '/x/b.txt', '/x/d.txt', '/x/mail'])
})

test('an item deleted by one device and renamed by another at the same time is restored with its new name', async () => {
  const client = await createKeyClient(network)
  await uploadNamed(client, 'a.txt')
  const one = await openDrive(client)
  await one.change((edit) => edit.createFolder('/letters'))
  const two = await openDrive(client)
  await two.change((edit) => {
    edit.move('/a.txt', '/b.txt')
    edit.move('/letters', '/mail')
  })
  await one.change((edit) => {
    edit.trash('/a.txt')
    edit.trash('/letters')
  })
  await two.reload()
  await two.change((edit) => {
    for (const { id } of two.trash()) edit.restore(id)
  })
  await one.reload()
  for (const device of [one, two]) expect(listPaths(device)).toEqual(['/b.txt', '/mail'])
})

test('an edit that arrives after its device gave up does not count instead of a later one', async () => {
  const client = await createKeyClient(network)
  await uploadNamed(client, 'a.txt')
  let hold = false
  let held: (() => Promise<Response>) | undefined
  const drive = await openDrive({
    ...client,
    fetch: async (input, init) => {
      if (!String(input).includes('/api/drive/parts')) return client.fetch(input, init)
      if (hold) {
        const { signal: _, ...rest } = init ?? {}
        held ??= () => client.fetch(input, rest)
        throw new TypeError('no answer')
      }
      await held?.()
      held = undefined
      return client.fetch(input, init)
    },
  })
  // Another clock is fast, so the stamps of all devices follow each other without regard to the time.
  const fast = `${(Date.now() + 9e9).toString(36).padStart(9, '0')}0000-deviceA1`
  await drive.merge([{ at: fast, set: [[`d-${'a'.repeat(22)}`, 'name', 'x']], clear: [] }])
  hold = true
  expect(await codeOf(drive.change((edit) => edit.move('/a.txt', '/y.txt')))).toBe('NETWORK_ERROR')
  hold = false
  await drive.change((edit) => edit.move('/a.txt', '/b.txt'))
  for (const device of [drive, await openDrive(client)]) expect(listPaths(device)).toEqual(['/b.txt', '/x'])
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
  expect(listPaths(one)).toEqual(listPaths(two))
  expect(listPaths(one)).toHaveLength(2)
  expect([
    ['/x', '/x/y'],
    ['/y', '/y/x'],
  ]).toContainEqual(listPaths(one))
  // The other folder stays in the root when the one in it moves.
  const [outer = '', inner = ''] = listPaths(one)
  await one.change((edit) => {
    edit.createFolder('/z')
    edit.move(inner, '/z')
  })
  await two.reload()
  for (const device of [one, two]) expect(listPaths(device)).toEqual([outer, '/z', `/z/${inner.at(-1)}`])
})

test('merges parts when there are many, and every device still reads them', { timeout: 60_000 }, async () => {
  const client = await createKeyClient(network)
  const cid = await uploadNamed(client, 'a.txt')
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
  expect(listPaths(await openDrive(client, { known: late.known }))).toEqual(['/a.txt', '/first', '/last'])
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
  expect(listPaths(drive)).toEqual(['/one', '/two'])
  expect(drive.revision).toBe(2)
  let isDown = false
  const offline = await openDrive({
    ...client,
    fetch: (input, init) => (isDown ? Promise.reject(new TypeError('down')) : client.fetch(input, init)),
  })
  isDown = true
  expect(await codeOf(offline.change((edit) => edit.createFolder('/three')))).toBe('NETWORK_ERROR')
  expect(listPaths(offline)).toEqual(['/one', '/two'])
  isDown = false
  await offline.change((edit) => edit.createFolder('/four'))
  expect(listPaths(offline)).toEqual(['/four', '/one', '/two'])
})

test('a failed reload leaves the drive unchanged, and the next one reads what it missed', async () => {
  const client = await createKeyClient(network)
  await uploadNamed(client, 'a.txt')
  await uploadNamed(client, 'b.txt')
  const drive = await openDrive(client)
  await drive.change((edit) => {
    edit.createFolder('/photos')
    edit.move('/a.txt', '/photos')
    edit.trash('/b.txt')
  })
  /** A part of an address; no request to it succeeds. */
  let down: string | undefined
  let older: Response | undefined
  const device = await openDrive({
    ...client,
    fetch: async (input, init) => {
      const address = String(input)
      if (down !== undefined && address.includes(down)) throw new TypeError('down')
      return older !== undefined && address.includes('/api/drive?') ? older.clone() : client.fetch(input, init)
    },
  })
  const { known } = device
  const before = ['/photos', '/photos/a.txt']
  // The edit fails, which requires a complete reload, and that fails, too.
  down = '/api/drive'
  expect(await codeOf(device.change((edit) => edit.createFolder('/lost')))).toBe('NETWORK_ERROR')
  expect(await codeOf(device.reload())).toBe('NETWORK_ERROR')
  expect(await codeOf(device.change((edit) => edit.createFolder('/photos')))).toBe('NETWORK_ERROR')
  expect(await codeOf(device.reload({ signal: AbortSignal.abort() }))).toBe('ABORTED')
  expect([listPaths(device), device.trash().map(({ name }) => name)]).toEqual([before, ['b.txt']])
  expect(device.known).toEqual(known)
  // An older drive is still recognised.
  down = undefined
  older = Response.json({ revision: 0, parts: [] })
  expect(await codeOf(device.reload())).toBe('VERIFICATION_FAILED')
  older = undefined
  expect(await codeOf(device.change((edit) => edit.createFolder('/photos')))).toBe('FILE_EXISTS')
  await device.change((edit) => edit.createFolder('/new'))

  // The changes of another device were read, the uploads were not.
  await drive.change((edit) => edit.createFolder('/of the other'))
  down = '/files_uploaded'
  expect(await codeOf(device.reload())).toBe('NETWORK_ERROR')
  down = undefined
  await device.reload()
  expect(listPaths(device)).toEqual(['/new', '/of the other', ...before])
  expect(listPaths(await openDrive(client))).toEqual(listPaths(device))
})

test('a drive opens with the newest uploads or with cached ones, and notices uploads and deletions by others', async () => {
  const client = await createKeyClient(network)
  const cids = [await uploadNamed(client, 'a.txt'), await uploadNamed(client, 'b.txt')]
  const first = await openDrive(client, { isPartial: true })
  expect(first.isListed).toBe(true)
  const kept = first.uploads
  await uploadNamed(client, 'c.txt')
  const second = await openDrive(client, { uploads: kept, isQuick: true })
  expect(listPaths(second)).toEqual(['/a.txt', '/b.txt', '/c.txt'])
  await deleteFile(client, { cid: cids[0] ?? '' })
  await second.reload({ isQuick: true })
  expect(listPaths(second)).toEqual(['/b.txt', '/c.txt'])
  const third = await openDrive(client, { uploads: kept, isQuick: true })
  expect(listPaths(third)).toEqual(['/b.txt', '/c.txt'])
  await third.change((edit) => {
    edit.tag('/b.txt', 'one')
    edit.tag('/c.txt', 'one')
    edit.tag('/c.txt', 'two')
  })
  expect(third.tags()).toEqual(['one', 'two'])
})

test('shows what an interrupted merge stored with the next change', async () => {
  const client = await createKeyClient(network)
  let puts = 0
  let isBroken = true
  const fetch: Client['fetch'] = async (input, init) => {
    if (isBroken && String(input).includes('/api/drive/parts') && ++puts > 1) throw new TypeError('broken')
    return client.fetch(input, init)
  }
  const drive = await openDrive({ ...client, fetch })
  // More than one part can contain.
  const set = Array.from({ length: 400 }, (_, n): Parameters<Drive['merge']>[0][number]['set'][number] => {
    return [`d-${String(n).padStart(22, 'a')}`, 'name', `${n} ${'x'.repeat(3000)}`]
  })
  const merged = drive.merge([{ at: '0000000010000-deviceA1', set, clear: [] }])
  expect(await codeOf(merged)).toBe('NETWORK_ERROR')
  isBroken = false
  await drive.change((edit) => edit.createFolder('/new'))
  const stored = listPaths(await openDrive(client))
  expect(stored.length).toBeGreaterThan(200)
  expect(listPaths(drive)).toEqual(stored)
})
