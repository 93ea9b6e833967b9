import { CairnError } from '@cairn/protocol'
import { createFileImporter, importProfiles } from '@cairn/unixfs'
import { describe, expect, it } from 'vitest'
import { freedFeedFrom } from '../multipart/freed-feed.fixture.ts'
import { hashSha256 } from '../packs/packs.ts'
import { buildRoots, chooseShape } from './build-roots.ts'
import { toUploadError } from './import-errors.ts'
import { importParts } from './import-parts.ts'
import { sniffBytes } from './mime-type.ts'
import { fileSource, multipartSource } from './part-source.ts'

type Sent = { name?: string | undefined; content?: string; type?: string; field?: string }

function body(parts: Sent[]): Buffer {
  const pieces = parts.map(({ name, content = '', type = 'application/octet-stream', field = 'file' }) => {
    const fileName = name === undefined ? '' : `; filename="${name}"`
    return `--b\r\nContent-Disposition: form-data; name="${field}"${fileName}\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`
  })
  return Buffer.from(`${pieces.join('')}--b--\r\n`)
}

async function add(
  parts: Sent[],
  given: { wrap?: boolean; encryption?: boolean; isKubo?: boolean; version?: 0 | 1 } = {},
) {
  const { wrap = false, encryption = false, isKubo = false, version = 0 } = given
  const sink = { put: () => undefined }
  const profile = version === 0 ? importProfiles.v0 : importProfiles.v1
  let takenBytes = 0
  const source = (async function* () {
    yield body(parts)
  })()
  const imported = await importParts(multipartSource(freedFeedFrom(source), 'b', undefined), {
    profile,
    sink,
    isKubo,
    acquireQuota: (sizeBytes) => {
      takenBytes += sizeBytes
    },
    acquireMemory: () => undefined,
  })
  const shape = chooseShape(imported, { wrap, encryption, isKubo })
  const { roots, entries } = await buildRoots(imported, shape, { profile, hash: hashSha256, sink })
  return {
    roots: Array.from(roots(), ({ name, node, sizeBytes }) => [name, node.cid.toString(), sizeBytes] as const),
    entries: [...entries()],
    takenBytes,
    start: imported.start,
  }
}

async function errorOf(parts: Sent[], options?: Parameters<typeof add>[1]): Promise<unknown> {
  const thrown = await add(parts, options).catch(toUploadError)
  return CairnError.is(thrown) ? [thrown.code, thrown.message] : thrown
}

const hello = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'
const folderOfHello = 'QmNxvA5bwvPGgMXbmtyhxA1cKFdvQXnsGnZLCGor3AzYxJ'

describe('parts of an upload', () => {
  it('are one file with the CID of Kubo', async () => {
    const { roots, takenBytes, start } = await add([{ name: 'hello.txt', content: 'hello world' }])
    expect(roots).toEqual([['hello.txt', hello, 11]])
    expect(takenBytes).toBe(11)
    expect(start).toEqual({ bytes: Buffer.from('hello world'), isWhole: true })
  })

  it('are one started file that is longer than its kept beginning, also when no bytes are left', async () => {
    const sink = { put: () => undefined }
    const profile = importProfiles.v1
    const importer = createFileImporter({ profile, hash: hashSha256, sink })
    const content = Buffer.alloc(profile.chunkSizeBytes, 'text ')
    await importer.write(content)
    const { levels, tail } = await importer.state()
    expect(tail).toHaveLength(0)
    const begin = content.subarray(0, sniffBytes)
    const { start } = await importParts(fileSource(freedFeedFrom([tail]), { fileName: 'text' }), {
      profile,
      sink,
      isKubo: false,
      begun: { levels, start: begin },
      acquireQuota: () => undefined,
      acquireMemory: () => undefined,
    })
    expect(start).toEqual({ bytes: begin, isWhole: false })
  })

  it('are one folder when they share it, in any notation of its name', async () => {
    for (const prefix of ['few/', './few/', '/few/', 'few//']) {
      const { roots } = await add([{ name: `${prefix}hello.txt`, content: 'hello world' }])
      expect(roots).toEqual([['few', folderOfHello, 11]])
    }
  })

  it('are wrapped on request, or when several files need one answer', async () => {
    const file = { name: 'hello.txt', content: 'hello world' }
    expect((await add([file], { wrap: true })).roots).toEqual([['', folderOfHello, 11]])
    const { roots } = await add([file, { name: 'b.txt', content: 'b' }])
    expect(roots).toHaveLength(1)
    expect((await add([file, { name: 'b.txt', content: 'b' }], { isKubo: true })).roots.map(([name]) => name)).toEqual([
      'hello.txt',
      'b.txt',
    ])
  })

  it('are one entry each when they are encrypted, under the exact name that was sent', async () => {
    const { roots } = await add(
      [
        { name: './d/x', content: 'hello world' },
        { name: 'y', content: '' },
      ],
      { encryption: true },
    )
    expect(roots.map(([name]) => name)).toEqual(['./d/x', 'y'])
  })

  it('are named by their CID when they have no name', async () => {
    for (const name of [undefined, '', 'blob']) {
      expect((await add([{ name, content: 'hello world' }])).roots).toEqual([[hello, hello, 11]])
    }
    const twice = [{ content: 'hello world' }, { content: 'hello world' }, { name: 'a', content: '' }]
    expect((await add(twice)).roots).toHaveLength(1)
  })

  it('announce folders after their children, for Kubo', async () => {
    const { entries } = await add(
      [
        { name: 'd%2Fe%2Fhello.txt', content: 'hello world' },
        { name: 'd%2Fempty', type: 'application/x-directory' },
        { name: 'd%2Flink', type: 'application/symlink', content: 'hello.txt' },
      ],
      { isKubo: true },
    )
    expect(entries.map(({ Name }) => Name)).toEqual(['d/e/hello.txt', 'd/link', 'd/e', 'd/empty', 'd'])
    expect(entries[2]?.Hash).toBe(folderOfHello)
    expect(entries[3]?.Hash).toBe('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
  })

  it('are in a folder without a name, as the Go client of Kubo sends folders', async () => {
    const unnamed = { name: '', type: 'application/x-directory' }
    const content = [
      { name: 'd', type: 'application/x-directory' },
      { name: 'd%2Fhello.txt', content: 'hello world' },
      { name: 'e', content: '' },
    ]
    const { roots, entries } = await add([unnamed, ...content], { isKubo: true })
    expect(roots).toEqual((await add(content, { wrap: true, isKubo: true })).roots)
    expect(entries.map(({ Name }) => Name)).toEqual(['d/hello.txt', 'e', 'd', ''])
    const empty = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'
    expect((await add([unnamed], { isKubo: true })).roots).toEqual([['', empty, 0]])
  })

  it('can be empty files', async () => {
    expect((await add([{ name: 'empty', content: '' }], { version: 1 })).roots).toEqual([
      ['empty', 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku', 0],
    ])
  })

  it('must not share a name', async () => {
    const cases: [Sent[], string][] = [
      [[{ name: 'a' }, { name: 'a' }], 'a'],
      [[{ name: 'd/a' }, { name: './d//a' }], 'd/a'],
      [[{ name: 'a' }, { name: 'a/b' }], 'a'],
      [[{ name: 'a/b/c' }, { name: 'a/b' }], 'a/b'],
    ]
    for (const [parts, name] of cases) {
      expect(await errorOf(parts)).toEqual(['DUPLICATE_NAME', `Duplicate file name found: ${name}`])
    }
    expect((await add([{ name: 'a' }, { name: 'A' }])).roots).toHaveLength(1)
  })

  it('can carry the mode and time of a file, which Kubo does not keep unless asked', async () => {
    const { roots } = await add([{ name: 'a', content: 'x', field: 'file?mode=0644&mtime=1' }], { isKubo: true })
    expect(roots).toEqual((await add([{ name: 'a', content: 'x' }], { isKubo: true })).roots)
  })

  it('are rejected when there are none, or when they carry unsupported values', async () => {
    expect(await errorOf([])).toEqual(['NO_FILE', "file argument 'path' is required"])
    expect(
      await errorOf([{ name: 'a', type: 'application/x-directory', content: 'x' }], { isKubo: true }),
    ).toMatchObject(['INVALID_MULTIPART', expect.anything()])
    expect(
      await errorOf([{ name: 'l', type: 'application/symlink', content: 'x'.repeat(5000) }], { isKubo: true }),
    ).toMatchObject(['INVALID_PATH', expect.anything()])
    expect(await errorOf([{ name: '../x' }])).toMatchObject(['INVALID_PATH', expect.anything()])
  })
})
