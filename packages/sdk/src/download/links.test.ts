import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createDirectoryTree,
  createFileImporter,
  encodeCarFrame,
  encodeCarHeader,
  importSymlink,
  profileFor,
} from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashSha256 } from '#platform/native-crypto'
import { createTestKey, createTestNetwork, type TestNetwork } from '../../../../tests/fixtures.ts'
import { type Client, createClient } from '../client.ts'
import { uploadCar } from '../upload/upload-car.ts'
import { downloadFile } from './download-file.ts'
import { openGateway } from './gateway.fixture.ts'
import { staysInside } from './link-target.ts'

let network: TestNetwork
let client: Client
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  client = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  folder = mkdtempSync(join(tmpdir(), 'cairn-links-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** Uploads a folder. A value is the size of a file, or the target of a symbolic link. */
async function uploadTree(entries: Record<string, number | string>): Promise<CID> {
  const blocks: Uint8Array[] = []
  const sink = {
    put(cid: CID, bytes: Uint8Array) {
      blocks.push(encodeCarFrame(cid, bytes.length), bytes.slice())
    },
  }
  const options = { profile: profileFor(1), hash: hashSha256, sink }
  const tree = createDirectoryTree(options)
  for (const [path, content] of Object.entries(entries)) {
    if (typeof content === 'string') {
      tree.addFile(path, await importSymlink(content, options))
      continue
    }
    const file = createFileImporter(options)
    await file.write(new Uint8Array(content).fill(7))
    tree.addFile(path, await file.finish())
  }
  const { root } = await tree.finish()
  await uploadCar(client, Buffer.concat([encodeCarHeader([root.cid]), ...blocks]))
  return root.cid
}

/** A gateway that does not send everything below a folder at once. */
function openPlainGateway(): Promise<Client & AsyncDisposable> {
  return openGateway(client, async ({ url = '/', headers }, response) => {
    if (url.endsWith('dag-scope=all')) {
      response.writeHead(501).end()
      return
    }
    const answer = await fetch(`${client.network.gateway}${url}`, { headers: { accept: headers.accept ?? '' } })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await answer.arrayBuffer()))
  })
}

describe.each(['with one request', 'file by file'])('symbolic links of a folder that is fetched %s', (how) => {
  test('are created if they stay inside, and reported if they do not', async () => {
    await using plain = await openPlainGateway()
    const reader = how === 'file by file' ? plain : client
    const sizeBytes = 3
    const cid = await uploadTree({
      a: sizeBytes,
      link: 'a',
      'sub/up': '../a',
      'sub/dangling': 'deep/none',
      'sub/deep/far': '../../../a',
      'sub/passwords': '/etc/passwd',
    })
    const target = join(folder, how)
    expect(await downloadFile(reader, `${cid}`, target)).toEqual({
      path: target,
      sizeBytes,
      files: 1,
      leftOut: [
        { path: 'sub/deep/far', target: '../../../a' },
        { path: 'sub/passwords', target: '/etc/passwd' },
      ],
    })
    expect(readFileSync(join(target, 'sub/up')).length).toBe(sizeBytes)
    expect(readlinkSync(join(target, 'link'))).toBe('a')
    expect(readlinkSync(join(target, 'sub/dangling'))).toBe('deep/none')
    expect(readdirSync(target, { recursive: true }).toSorted()).toEqual([
      'a',
      'link',
      'sub',
      'sub/dangling',
      'sub/deep',
      'sub/up',
    ])
    await expect(downloadFile(reader, `${cid}`, target)).rejects.toMatchObject({ code: 'FILE_EXISTS' })
    await downloadFile(reader, `${cid}`, target, { overwrite: true })
    expect(lstatSync(join(target, 'link')).isSymbolicLink()).toBe(true)
  })

  test('are replaced by folders of the same names, so that nothing is written to their targets', async () => {
    await using plain = await openPlainGateway()
    const reader = how === 'file by file' ? plain : client
    const around = join(folder, `around ${how}`)
    const target = join(around, 'site')
    mkdirSync(join(around, 'outside'), { recursive: true })
    for (const entries of [
      { 'z/keep': 1, 'm/n/o': '../../z' },
      // By its names, this link stays inside, but not from the target of the earlier link.
      { 'z/keep': 1, 'm/n/o/link': '../../../outside' },
      { 'z/keep': 1, 'm/n/o/link/file': 2 },
    ]) {
      await downloadFile(reader, `${await uploadTree(entries)}`, target, { overwrite: true })
    }
    expect(readdirSync(around, { recursive: true }).toSorted()).toEqual(
      ['outside', 'site', 'site/m', 'site/m/n', 'site/m/n/o', 'site/m/n/o/link', 'site/m/n/o/link/file']
        .concat('site/z', 'site/z/keep')
        .toSorted(),
    )
    expect(lstatSync(join(target, 'm/n/o/link')).isDirectory()).toBe(true)
  })
})

test('a link by itself is not a file, and writes nothing', async () => {
  const cid = await uploadTree({ link: 'a', b: 1 })
  const target = join(folder, 'alone')
  await expect(downloadFile(client, `${cid}/link`, target)).rejects.toMatchObject({
    code: 'NOT_A_FILE',
    message: 'This is a symlink, not a file',
  })
  expect(existsSync(target)).toBe(false)
})

test.each([
  ['a', 'b', true],
  ['a', 'b/c', true],
  ['a', './b//c/', true],
  ['a/b', '..', true],
  ['a/b/c', '../../d', true],
  ['a', '.', true],
  ['a', '..', false],
  ['a/b', '../..', false],
  ['a', '../b', false],
  // `b` may be a link to `.`, so that this is the folder above the top.
  ['a', 'b/..', false],
  ['a/b', '../c/../d', false],
  ['a', '/b', false],
  ['a', 'C:\\b', false],
  ['a', 'c:b', false],
  ['a', '..\\b', false],
  ['a', 'b\0', false],
  ['a', '', false],
  ['a', 'b'.repeat(4097), false],
])('a link %s to %s stays inside: %s', (path, target, expected) => {
  expect(staysInside(path.split('/'), target)).toBe(expected)
})
