// The drive on the command line: two machines with one wallet.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { exportDrive, transferFile } from '@cairn/sdk'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyClient, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { storeLightWallet } from '../light-wallet.ts'
import { type CliRun, runCli } from '../run-cli.ts'

const privateKey = generatePrivateKey()
let network: TestNetwork
let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-drive-'))
  network = await createTestNetwork({ CAIRN_RATE_FACTOR: '0' })
  writeFileSync(join(folder, 'password'), 'correct horse\n', { mode: 0o600 })
  for (const machine of ['laptop', 'phone']) {
    await storeLightWallet(join(folder, machine), privateKey, 'correct horse')
    expect(await cairn(machine, 'api-key', 'new')).toMatchObject({ code: 0 })
  }
  for (const name of ['a.txt', 'b.txt', 'c.txt']) writeFileSync(join(folder, name), name)
  expect(await cairn('laptop', 'upload', 'a.txt')).toMatchObject({ code: 0 })
  expect(await cairn('laptop', 'upload', 'b.txt')).toMatchObject({ code: 0 })
  expect(await cairn('laptop', 'upload', '--encrypt', 'c.txt')).toMatchObject({ code: 0 })
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function cairn(machine: string, ...args: string[]): Promise<CliRun> {
  return runCli(args, {
    cwd: folder,
    env: {
      CAIRN_NETWORK: join(network.home, 'network.json'),
      CAIRN_CONFIG_HOME: join(folder, machine),
      CAIRN_PASSWORD_FILE: join(folder, 'password'),
    },
  })
}
const drive = (machine: string, ...args: string[]) => cairn(machine, 'drive', ...args)
const names = async (machine: string, ...args: string[]) => {
  const { code, out, err } = await drive(machine, 'ls', ...args, '--json')
  expect(code, err).toBe(0)
  const rows = out.split('\n').filter((line) => line !== '')
  return rows.map((line) => (JSON.parse(line) as { path: string }).path)
}

describe('two machines', () => {
  test('change the drive at the same time and lose nothing', { timeout: 60_000 }, async () => {
    expect(await names('laptop')).toEqual(['/a.txt', '/b.txt', '/c.txt'])
    // Neither has a drive yet.
    const made = await Promise.all([drive('laptop', 'mkdir', 'docs'), drive('phone', 'mkdir', 'photos')])
    expect(made).toMatchObject([
      { code: 0, out: 'Created /docs\n' },
      { code: 0, out: 'Created /photos\n' },
    ])
    const changed = await Promise.all([
      drive('laptop', 'mv', 'a.txt', 'docs'),
      drive('phone', 'mv', 'b.txt', 'photos/bee.txt'),
      drive('phone', 'tag', 'c.txt', 'secret'),
      drive('laptop', 'star', 'c.txt'),
      drive('laptop', 'tag', 'c.txt', 'mine'),
    ])
    for (const { code, err } of changed) expect(code, err).toBe(0)
    for (const machine of ['laptop', 'phone']) {
      expect(await names(machine)).toEqual(['/docs', '/photos', '/c.txt'])
      expect(await names(machine, 'docs')).toEqual(['/docs/a.txt'])
      expect(await names(machine, '/photos')).toEqual(['/photos/bee.txt'])
    }
    const { out } = await drive('phone', 'ls')
    expect(out).toMatch(/★ encrypted #mine #secret +c\.txt/)
    expect(await names('phone', '--starred')).toEqual(['/c.txt'])
    expect(await names('phone', '--tag', 'mine')).toEqual(['/c.txt'])
  })

  test('find the key of the drive named in the list of keys', { timeout: 60_000 }, async () => {
    // It has not opened the drive.
    await storeLightWallet(join(folder, 'tablet'), privateKey, 'correct horse')
    const list = async (machine: string) => {
      const { code, out, err } = await cairn(machine, 'keys', 'list', '--json')
      expect(code, err).toBe(0)
      const rows = out.split('\n').filter((line) => line !== '')
      return rows.map((line) => JSON.parse(line) as { cid: string; isDrive?: boolean })
    }
    expect((await list('tablet')).map(({ isDrive }) => isDrive)).toEqual([undefined, undefined])
    expect(await cairn('tablet', 'api-key', 'new')).toMatchObject({ code: 0 })
    for (const machine of ['laptop', 'tablet']) {
      const [key, ...others] = (await list(machine)).filter(({ isDrive }) => isDrive === true)
      expect(others).toEqual([])
      const { err } = await cairn(machine, 'keys', 'list')
      expect(err).toContain(`${key?.cid} is the key of your drive and has no content.`)
    }
  })

  test('delete, restore and empty the trash', { timeout: 60_000 }, async () => {
    expect(await drive('laptop', 'rm', 'docs', 'photos/bee.txt')).toMatchObject({ code: 0 })
    expect(await names('phone')).toEqual(['/photos', '/c.txt'])
    expect((await names('phone', '--trash')).sort()).toEqual(['/docs', '/photos/bee.txt'])
    expect(await drive('phone', 'restore', 'docs')).toMatchObject({ code: 0, out: 'Restored /docs\n' })
    expect(await names('laptop', 'docs')).toEqual(['/docs/a.txt'])
    expect(await drive('laptop', 'empty', '--yes')).toMatchObject({ code: 0, out: 'Deleted 0 items, 0 uploads.\n' })
    expect(await drive('laptop', 'empty', '--all', '--yes')).toMatchObject({
      code: 0,
      out: 'Deleted 1 item, 1 upload.\n',
    })
    expect(await names('phone', '--trash')).toEqual([])
    expect((await cairn('phone', 'ls', '--json')).out).not.toContain('b.txt')
  })

  test('versions, colours, sharing and errors', { timeout: 60_000 }, async () => {
    writeFileSync(join(folder, 'a.txt'), 'second')
    const { out: uploaded } = await cairn('laptop', 'upload', 'a.txt', '--json')
    const { cid } = JSON.parse(uploaded) as { cid: string }
    expect(await drive('laptop', 'mv', 'a.txt', 'docs')).toMatchObject({ code: 0, out: 'a.txt → /docs/a.txt\n' })
    const rows = async () =>
      (await drive('phone', 'versions', 'docs/a.txt', '--quiet')).out.split('\n').filter((line) => line !== '')
    const [newest, first = ''] = await rows()
    expect(newest).toBe(cid)
    expect(await drive('phone', 'restore', 'docs/a.txt', '--cid', first)).toMatchObject({ code: 0 })
    expect(await rows()).toEqual([first, cid])

    expect(await drive('phone', 'colour', 'docs', 'red')).toMatchObject({ code: 0 })
    expect((await drive('laptop', 'ls')).out).toMatch(/– +red +docs\//)
    expect(await drive('phone', 'colour', 'docs', '--off')).toMatchObject({ code: 0 })
    expect((await drive('laptop', 'ls')).out).not.toContain('red')

    expect(await drive('laptop', 'mv', 'c.txt', 'docs')).toMatchObject({ code: 0 })
    const friend = privateKeyToAccount(generatePrivateKey()).address
    const shared = await drive('laptop', 'share', 'docs', friend)
    expect(shared, shared.err).toMatchObject({ code: 0 })
    expect(shared.out).toContain('Shared /docs/c.txt')
    expect(shared.err).toContain('1 public file needs no sharing.')
    expect(await drive('laptop', 'share', 'docs/a.txt', friend)).toMatchObject({
      err: expect.stringContaining('has no encrypted file'),
    })
    // Each recipient of a file is a contact, and a label can be used for its address.
    const contacts = async () =>
      JSON.parse((await drive('phone', 'contacts', '--json')).out) as { label: string; usedAt: string | null }
    expect(await contacts()).toMatchObject({
      address: friend.toLowerCase(),
      label: '',
      usedAt: expect.stringMatching(/^\d{4}-.+Z$/),
    })
    expect(await drive('phone', 'contact', friend, 'Ida')).toMatchObject({ code: 0 })
    expect(await drive('laptop', 'share', 'docs/c.txt', 'ida')).toMatchObject({
      code: 0,
      out: expect.stringContaining(friend.toLowerCase()),
    })
    expect(await drive('phone', 'contact', 'ida', '--off')).toMatchObject({ code: 0 })
    expect((await drive('laptop', 'contacts', '--quiet')).out).toBe('')
    const stranger = privateKeyToAccount(generatePrivateKey()).address
    expect(await drive('phone', 'contact', stranger, 'Stranger')).toMatchObject({ code: 0 })
    expect(await contacts()).toMatchObject({ label: 'Stranger', usedAt: null })
    expect(await drive('phone', 'contact', stranger, '--off')).toMatchObject({ code: 0 })

    writeFileSync(join(folder, 'twin.txt'), 'second')
    expect(await cairn('laptop', 'upload', 'twin.txt')).toMatchObject({ code: 0 })
    expect((await drive('phone', 'duplicates')).out).toMatch(/1 +6 B +\/docs\/a\.txt/)
    expect(await drive('phone', 'duplicates', '--remove', '--yes')).toMatchObject({
      code: 0,
      out: 'Deleted 1 copy.\n',
    })
    expect((await drive('laptop', 'duplicates', '--quiet')).out).toBe('')
    for (const [args, message] of [
      [['fly'], 'Unknown action of drive'],
      [['mv', 'docs'], 'drive mv requires'],
      [['rm', 'nothing'], 'nothing does not exist in the drive'],
      [['mkdir', 'docs'], 'docs already exists'],
      [['ls', 'docs/a.txt'], 'docs/a.txt is a file'],
      [['ls', 'nothing'], 'Run `cairn drive ls` to list a folder.'],
    ] as const) {
      const { code, err } = await drive('laptop', ...args)
      expect(code).not.toBe(0)
      expect(err).toContain(message)
    }
  })

  test('objects of a bucket with equal content are not copies, and stay when the trash is emptied', {
    timeout: 60_000,
  }, async () => {
    const keys = await cairn('laptop', 's3', 'credentials', '--json')
    const { endpoint, region, ...credentials } = JSON.parse(keys.out) as Record<'endpoint' | 'region', string> &
      Record<'accessKeyId' | 'secretAccessKey', string>
    const s3 = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
    try {
      await s3.send(new CreateBucketCommand({ Bucket: 'backups' }))
      for (const Key of ['laptop', 'phone'])
        await s3.send(new PutObjectCommand({ Bucket: 'backups', Key, Body: 'same' }))
      expect(await drive('laptop', 'duplicates', '--remove')).toMatchObject({ code: 0, out: 'Deleted 0 copies.\n' })
      expect(await drive('laptop', 'rm', 'backups_laptop')).toMatchObject({ code: 0 })
      const emptied = await drive('phone', 'empty', '--all', '--yes', '--json')
      expect(JSON.parse(emptied.out)).toEqual({ items: 0, uploads: 0, kept: 1 })
      const again = await drive('laptop', 'empty', '--all', '--yes')
      expect(again.out).toBe('Deleted 0 items, 0 uploads.\n')
      expect(again.err).toContain('1 item stays in the trash: objects in S3 buckets have the same content.')
      for (const Key of ['laptop', 'phone']) {
        const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'backups', Key }))
        expect(await Body?.transformToString()).toBe('same')
      }
    } finally {
      s3.destroy()
    }
  })

  test('a machine that saw a newer revision rejects an older one', async () => {
    const path = join(folder, 'phone', 'drives.json')
    const known = readFileSync(path, 'utf8')
    const ahead = known.replace(/"revision": (\d+)/, (_all, revision: string) => `"revision": ${Number(revision) + 5}`)
    expect(ahead).not.toBe(known)
    writeFileSync(path, ahead)
    const refused = await drive('phone', 'ls')
    expect(refused.code).not.toBe(0)
    expect(refused.err).toContain('this device saw revision')
    expect(refused.err).toContain('remove drives.json')
    writeFileSync(path, known)
    expect(await drive('phone', 'ls')).toMatchObject({ code: 0 })
  })

  test('replace a drive whose key is lost, once its old index is saved and the user agrees', {
    timeout: 60_000,
  }, async () => {
    const refused = await drive('laptop', 'reset', 'old-index.json', '--yes')
    expect(refused.code).not.toBe(0)
    expect(refused.err).toContain('The key of the drive is not lost')
    const owner = await createKeyClient(network, privateKey)
    const { keyCid = '' } = (await exportDrive(owner)) ?? {}
    const other = await createKeyClient(network)
    await transferFile(owner, keyCid, other.address, { resetSharedTo: true })
    expect((await drive('laptop', 'ls')).code).not.toBe(0)

    expect((await drive('laptop', 'reset')).err).toContain('a file for the old index')
    expect(await drive('laptop', 'reset', join('none', 'old-index.json'), '--yes')).not.toMatchObject({ code: 0 })
    expect((await exportDrive(owner))?.keyCid).toBe(keyCid)
    expect(await drive('laptop', 'reset', 'old-index.json', '--yes')).toMatchObject({
      code: 0,
      out: 'Removed the drive. Its encrypted index is in old-index.json.\n',
    })
    expect(JSON.parse(readFileSync(join(folder, 'old-index.json'), 'utf8'))).toMatchObject({ keyCid })
    expect(statSync(join(folder, 'old-index.json')).mode & 0o777).toBe(0o600)
    expect(await names('laptop')).toContain('/c.txt')
    expect(await drive('laptop', 'mkdir', 'again')).toMatchObject({ code: 0 })
    // The other machine remembers the former drive, and says so until its record is removed.
    expect((await drive('phone', 'ls')).err).toContain('drives.json')
    rmSync(join(folder, 'phone', 'drives.json'))
    expect(await names('phone')).toContain('/again')
    expect(await drive('laptop', 'reset', 'another.json', '--yes')).not.toMatchObject({ code: 0 })
  })
})
