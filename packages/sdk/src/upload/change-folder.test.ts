import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../../../../tests/fixtures.ts'
import { listen } from '../../../../tests/listen.ts'
import { getUsage } from '../account/usage.ts'
import { type Client, createClient } from '../client.ts'
import { alterGateway } from '../download/gateway.fixture.ts'
import { listDirectory } from '../download/list-directory.ts'
import { downloadBytes } from '../download/open-file.ts'
import { changeFolder, type FolderChanges } from './change-folder.ts'
import { type FolderEntry, uploadFolder } from './upload-folder.ts'

let network: TestNetwork
let client: Client
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  client = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  folder = mkdtempSync(join(tmpdir(), 'cairn-change-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const large = Uint8Array.from({ length: 3_000_000 }, (_byte, i) => (i * 31 + (i >> 8)) & 0xff)
const site: FolderEntry[] = [
  { path: 'index.html', content: '<p>one</p>' },
  { path: 'docs/guide.md', content: 'guide' },
  { path: 'docs/deep/er/page.md', content: 'page' },
  { path: 'media/film', content: large },
]
const file = (path: string, content: FolderEntry['content']): FolderEntry => ({ path, content })

describe('a changed folder has the CID of a whole upload', () => {
  const cases: Record<string, { changes: FolderChanges; becomes: (entries: FolderEntry[]) => FolderEntry[] }> = {
    'a file replaced': {
      changes: { put: [file('index.html', '<p>two</p>')] },
      becomes: ([_index, ...rest]) => [file('index.html', '<p>two</p>'), ...rest],
    },
    'files put into new and old folders, a large one and an empty one': {
      changes: { put: [file('docs/deep/new/a', ''), file('media/other', large.toReversed()), file('x/y', 'y')] },
      becomes: (entries) => [
        ...entries,
        file('docs/deep/new/a', ''),
        file('media/other', large.toReversed()),
        file('x/y', 'y'),
      ],
    },
    'a folder removed': {
      changes: { remove: ['docs/deep'] },
      becomes: (entries) => entries.filter(({ path }) => !path.startsWith('docs/deep')),
    },
    'a file removed, of a folder that stays, empty': {
      changes: { remove: ['media/film', './docs/guide.md'] },
      becomes: ([index, _guide, page]) => [
        ...(index && page ? [index, page] : []),
        file('media', new Blob([], { type: 'application/x-directory' })),
      ],
    },
    'a folder replaced by a file, and a file by a folder': {
      changes: {
        put: [file('docs', 'no folder'), file('index.html/inside', 'in')],
        remove: ['docs', 'index.html'],
      },
      becomes: ([_index, _guide, _page, film]) => [
        ...(film ? [film] : []),
        file('docs', 'no folder'),
        file('index.html/inside', 'in'),
      ],
    },
    'a folder removed and put again': {
      changes: { remove: ['docs'], put: [file('docs/only', 'only')] },
      becomes: ([index, _guide, _page, film]) => [...(index && film ? [index, film] : []), file('docs/only', 'only')],
    },
  }
  test.each(Object.entries(cases))('%s', async (_what, { changes, becomes }) => {
    for (const cidVersion of [1, 0] as const) {
      const { cid } = await uploadFolder(client, site, { cidVersion })
      const changed = await changeFolder(client, cid, changes, { name: 'site' })
      const whole = await uploadFolder(client, becomes(site), { cidVersion })
      expect(changed).toMatchObject({ cid: whole.cid, dagSizeBytes: whole.dagSizeBytes, name: 'site' })
    }
  })

  test('a sharded folder', async () => {
    const entries = Array.from({ length: 6000 }, (_none, i) =>
      file(`a rather long name of a file in one folder ${i}`, String(i)),
    )
    const { cid } = await uploadFolder(client, entries)
    const remove = ['a rather long name of a file in one folder 17']
    const added = file('one more', 'more')
    const changed = await changeFolder(client, cid, { put: [added], remove })
    const rest = entries.filter(({ path }) => !remove.includes(path))
    expect(changed.cid).toBe((await uploadFolder(client, [...rest, added])).cid)
  })

  test('a folder on disk with a symbolic link and an empty folder is merged', async () => {
    const { cid } = await uploadFolder(client, site)
    const put = join(folder, 'put')
    mkdirSync(join(put, 'docs', 'empty'), { recursive: true })
    writeFileSync(join(put, 'docs', 'guide.md'), 'another guide')
    symlinkSync('guide.md', join(put, 'docs', 'link'))
    const changed = await changeFolder(client, cid, { put })
    expect(new TextDecoder().decode(await downloadBytes(client, `${changed.cid}/docs/guide.md`))).toBe('another guide')
    expect(new TextDecoder().decode(await downloadBytes(client, `${changed.cid}/docs/deep/er/page.md`))).toBe('page')
    const below = await changeFolder(client, cid, { put, at: 'media/./more' })
    const names: string[] = []
    for await (const { name } of listDirectory(client, `${below.cid}/media/more/docs`)) names.push(name)
    expect(names).toEqual(['empty', 'guide.md', 'link'])
    const one = await changeFolder(client, cid, { put: join(put, 'docs/guide.md'), at: 'docs/index.md' })
    const into = await changeFolder(client, cid, { put: join(put, 'docs/guide.md'), at: 'media/' })
    expect(into.cid).toBe((await uploadFolder(client, [...site, file('media/guide.md', 'another guide')])).cid)
    expect(one.cid).toBe((await uploadFolder(client, [...site, file('docs/index.md', 'another guide')])).cid)
    const again = await changeFolder(client, changed.cid, { put })
    expect(again.cid, 'the same once more').toBe(changed.cid)
  })
})

test('sends only what changed, and reads only the folders above it', async () => {
  const { cid } = await uploadFolder(client, site)
  const paths: string[] = []
  await using counted = await alterGateway(client, (body, path) => {
    paths.push(path.slice(path.indexOf(cid) + cid.length, path.indexOf('?')))
    return body
  })
  const { usedBytes } = await getUsage(client)
  const seen: number[] = []
  await changeFolder(
    counted,
    cid,
    { put: [file('docs/guide.md', 'new')] },
    { onProgress: ({ bytes }) => seen.push(bytes) },
  )
  expect(paths).toEqual(['', '/docs'])
  expect(Math.max(...seen)).toBe(3)
  // The copy is an ordinary upload.
  expect((await getUsage(client)).usedBytes - usedBytes).toBeGreaterThan(large.length)
})

test('a subfolder can be changed by its path, and the result is that folder', async () => {
  const { cid } = await uploadFolder(client, site)
  const changed = await changeFolder(client, `${cid}/docs`, { remove: ['deep'] })
  expect(changed.cid).toBe((await uploadFolder(client, [file('guide.md', 'guide')])).cid)
})

test('rejects invalid changes, and stores nothing', async () => {
  const { cid } = await uploadFolder(client, site)
  const cases: [string, FolderChanges, string][] = [
    [cid, {}, 'NO_FILE'],
    [cid, { put: [] }, 'NO_FILE'],
    [cid, { remove: ['nothing'] }, 'PATH_NOT_FOUND'],
    [cid, { remove: ['index.html/below'] }, 'PATH_NOT_FOUND'],
    [cid, { remove: ['docs/../media'] }, 'INVALID_PATH'],
    [cid, { remove: [''] }, 'INVALID_PATH'],
    [cid, { put: [file('docs', 'no folder')] }, 'FILE_EXISTS'],
    [cid, { put: [file('index.html/inside', 'in')] }, 'FILE_EXISTS'],
    [cid, { put: [file('a', '1')], at: '../b' }, 'INVALID_PATH'],
    [cid, { put: [file('a', '1'), file('a', '2')] }, 'DUPLICATE_NAME'],
    [cid, { put: [file('a', '1'), file('a/b', '2')] }, 'DUPLICATE_NAME'],
    [`${cid}/index.html`, { remove: ['a'] }, 'NOT_A_DIRECTORY'],
    [`${cid}/missing`, { remove: ['a'] }, 'PATH_NOT_FOUND'],
  ]
  for (const [path, changes, code] of cases) {
    await expect(changeFolder(client, path, changes), JSON.stringify(changes)).rejects.toMatchObject({ code })
  }
  const own = await uploadFolder(
    client,
    site.map(({ path }) => file(path, `private ${path}`)),
    { private: true },
  )
  await expect(changeFolder(client, own.cid, { remove: ['docs'] })).rejects.toMatchObject({ code: 'NOT_SUPPORTED' })
})

test('detects a service that answers another CID', async () => {
  const { cid } = await uploadFolder(client, site)
  await using liar = await listen((request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify({ Name: 'x', Hash: cid, Size: '0' })))
  })
  const lied = { ...client, network: { ...client.network, upload: liar.url } }
  await expect(changeFolder(lied, cid, { remove: ['docs'] })).rejects.toMatchObject({ code: 'CID_MISMATCH' })
})

test('rejects a file that changes between its two reads', async () => {
  const { cid } = await uploadFolder(client, site)
  const path = join(folder, 'changing')
  mkdirSync(path)
  writeFileSync(join(path, 'log'), 'before')
  const onProgress = () => writeFileSync(join(path, 'log'), 'behind')
  await expect(changeFolder(client, cid, { put: path }, { onProgress })).rejects.toMatchObject({ code: 'FILE_CHANGED' })
})
