// What a service can see of a drive, what it can change unnoticed, and the cost of a lost key.
import {
  type Client,
  createClient,
  exportDrive,
  getKey,
  isDriveKeyLost,
  type KnownDrive,
  openDrive,
  openExportedDrive,
  openKeySession,
  resetDrive,
  shareFile,
  transferFile,
} from '@cairn/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf } from '../code-of.ts'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { listPaths, uploadNamed } from './drive-tree.ts'

let network: TestNetwork

beforeAll(async () => {
  network = await createTestNetwork({ CAIRN_RATE_FACTOR: '0' })
})

afterAll(() => network?.[Symbol.asyncDispose]())

/** A client whose service answers some reads of the drive as the test specifies. */
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

test('detects a service that returns an older, shortened, reordered or foreign drive', async () => {
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
  // A remaining trust: a device that never saw the drive cannot know of later changes.
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

test('a device that saw the other branch detects a fork', async () => {
  const client = await createKeyClient(network)
  const drive = await openDrive(client)
  await drive.change((edit) => edit.createFolder('/common'))
  // The service acknowledges a change, and shows other devices another one instead.
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
  expect(listPaths(target)).toEqual(['/a very private folder'])
  const stranger = await createKeyClient(network)
  expect(await codeOf(getKey(stranger, exported.keyCid))).toBe('ACCESS_DENIED')
  // The address of another session never opens it, even with the API key of the account.
  const keySession = await openKeySession(createClient({ network: network.profile }), {
    privateKey: stranger.privateKey,
  })
  expect(await codeOf(openDrive({ ...client, keySession }))).toBe('ACCESS_DENIED')
})

test('a new drive replaces one whose key is lost, and has all uploads; no other drive is removed', async () => {
  const client = await createKeyClient(network)
  const other = await createKeyClient(network)
  expect(await resetDrive(client)).toBeUndefined()
  await uploadNamed(client, 'a.txt')
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
  expect([fresh.revision, listPaths(fresh)]).toEqual([0, ['/a.txt']])
  await fresh.change((edit) => edit.star('/a.txt'))
  expect(fresh.known?.keyCid).not.toBe(keyCid)
  // A recovered key restores what was lost.
  await fresh.merge(await openExportedDrive({ parts: old?.parts ?? [] }, masterKey))
  expect(listPaths(await openDrive(client))).toEqual(['/letters', '/letters/a.txt'])
  expect(await codeOf(openDrive(client, { known: drive.known }))).toBe('VERIFICATION_FAILED')
})
