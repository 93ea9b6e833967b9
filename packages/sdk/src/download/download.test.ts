import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startFaultyProxy } from '../../../../tests/faulty-proxy.ts'
import { createTestKey, createTestNetwork, type TestNetwork } from '../../../../tests/fixtures.ts'
import { type Client, createClient } from '../client.ts'
import type { OnProgress, Progress } from '../progress.ts'
import { uploadBytes } from '../upload/upload-file.ts'
import { uploadFolder } from '../upload/upload-folder.ts'
import { downloadFile } from './download-file.ts'
import { alterGateway } from './gateway.fixture.ts'
import { listDirectory } from './list-directory.ts'
import { downloadBytes, openFile } from './open-file.ts'

let network: TestNetwork
let client: Client
let folder = ''
beforeAll(async () => {
  network = await createTestNetwork()
  client = createClient({ network: network.profile, apiKey: (await createTestKey(network)).apiKey })
  folder = mkdtempSync(join(tmpdir(), 'cairn-get-'))
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** Bytes without two equal chunks, unless `repeat` is set. */
function bytesOf(length: number, repeat = false): Uint8Array {
  const bytes = new Uint8Array(length)
  let state = 1
  for (let i = 0; i < length; i++) {
    if (repeat && i % 262_144 === 0) state = 1
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    bytes[i] = state >>> 24
  }
  return bytes
}

async function readStream(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

test.each([false, true])('any range of a file equals its slice (equal chunks: %s)', async (repeat) => {
  const bytes = bytesOf(1_500_000, repeat)
  const cids = [(await uploadBytes(client, bytes)).cid, (await uploadBytes(client, bytes, { cidVersion: 0 })).cid]
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(bytes.length), fc.constantFrom(...cids), async (a, b, cid) => {
      const [fromByte, toByte] = [Math.min(a, b), Math.max(a, b, Math.min(a, b) + 1)]
      const got = await downloadBytes(client, cid, { fromByte, toByte })
      return Buffer.compare(got, bytes.subarray(fromByte, toByte)) === 0
    }),
    { numRuns: 60 },
  )
})

test('openFile knows the size before it reads a byte, and can stop early', async () => {
  const { cid } = await uploadBytes(client, bytesOf(2_000_000))
  const { sizeBytes, stream } = await openFile(client, cid)
  expect(sizeBytes).toBe(2_000_000)
  await stream.cancel()
})

test('rejects a missing path, a path that is not a file, and an invalid CID', async () => {
  const { cid } = await uploadFolder(client, [{ path: 'a', content: 'x' }])
  await expect(
    downloadBytes(client, 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'),
  ).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' })
  await expect(downloadBytes(client, `${cid}/nope`)).rejects.toMatchObject({ code: 'PATH_NOT_FOUND' })
  await expect(downloadBytes(client, cid)).rejects.toMatchObject({ code: 'NOT_A_FILE' })
  await expect(downloadBytes(client, 'nonsense')).rejects.toMatchObject({ code: 'INVALID_CID' })
  await expect(downloadBytes(client, `${cid}/../a`)).rejects.toMatchObject({ code: 'INVALID_PATH' })
  await expect(downloadBytes(client, `${cid}/a`, { fromByte: 5 })).rejects.toMatchObject({ code: 'INVALID_RANGE' })
})

describe('an untrusted gateway', () => {
  test('never passes on a wrong byte, wherever a bit flips', async () => {
    const bytes = bytesOf(700_000)
    const { cid } = await uploadBytes(client, bytes)
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 0.999999, noNaN: true }), fc.nat(7), async (where, bit) => {
        await using liar = await alterGateway(client, (body) => {
          const at = Math.floor(where * body.length)
          body[at] = (body[at] ?? 0) ^ (1 << bit)
          return body
        })
        const got: Uint8Array[] = []
        const code = await (async () => {
          const { stream } = await openFile(liar, cid)
          for await (const piece of stream) got.push(piece)
          return 'none'
        })().catch((error: { code: string }) => error.code)
        expect(['VERIFICATION_FAILED', 'DOWNLOAD_INCOMPLETE', 'UNSUPPORTED_CODEC', 'none']).toContain(code)
        const all = Buffer.concat(got)
        expect(Buffer.compare(all, bytes.subarray(0, all.length))).toBe(0)
        if (code === 'none') expect(all.length).toBe(bytes.length)
      }),
      { numRuns: 60 },
    )
  })

  test.each([
    { kind: 'refuse', status: 503 },
    { kind: 'cut answer', afterBytes: 0 },
  ] as const)('is asked again if it fails before its response begins: $kind', async (fault) => {
    const bytes = bytesOf(700_000)
    const { cid } = await uploadBytes(client, bytes)
    let requests = 0
    await using proxy = await startFaultyProxy(client.network.gateway, () => (requests++ < 2 ? fault : undefined))
    const shaky = { ...client, network: { ...client.network, gateway: proxy.url } }
    expect(Buffer.compare(await downloadBytes(shaky, cid), bytes)).toBe(0)
    expect(requests).toBe(3)
  })

  test('fails when the download is cut off', async () => {
    const { cid } = await uploadBytes(client, bytesOf(700_000))
    await using short = await alterGateway(client, (body) => body.subarray(0, body.length / 2))
    await expect(downloadBytes(short, cid)).rejects.toMatchObject({ code: 'DOWNLOAD_INCOMPLETE' })
    await using broken = await alterGateway(client, () => undefined)
    await expect(downloadBytes(broken, cid)).rejects.toMatchObject({ code: 'DOWNLOAD_INCOMPLETE' })
  })

  describe('that breaks the connection', () => {
    const bytes = bytesOf(3_000_000)
    let cid = ''
    beforeAll(async () => {
      cid = (await uploadBytes(client, bytes)).cid
    })

    type Download = (from: Client, options: { onProgress: OnProgress }) => Promise<Uint8Array>
    test.each<[string, Download, number]>([
      [
        'of a download to disk',
        async (from, options) => readFileSync((await downloadFile(from, cid, join(folder, 'broken'), options)).path),
        0,
      ],
      ['of a stream', async (from, options) => readStream((await openFile(from, cid, options)).stream), 0],
      [
        'of a range',
        (from, options) => downloadBytes(from, cid, { fromByte: 1000, toByte: 2_990_000, ...options }),
        1000,
      ],
    ])('%s is asked for the rest by the same call', async (_what, download, fromByte) => {
      const cuts = [1_000_000, 900_000]
      const starts: number[] = []
      let receivedBytes = 0
      let received = Promise.withResolvers<void>()
      const onProgress: OnProgress = ({ bytes: sum }) => {
        if (sum <= receivedBytes) return
        receivedBytes = sum
        received.resolve()
      }
      await using proxy = await startFaultyProxy(client.network.gateway, ({ path }) => {
        if (!path.includes('dag-scope=entity')) return undefined
        starts.push(Number(/entity-bytes=(\d+)/.exec(path)?.[1] ?? 0))
        const afterBytes = cuts.shift()
        received = Promise.withResolvers()
        // Cut once a block has arrived: a connection that breaks loses what the client has not read.
        return afterBytes === undefined ? undefined : { kind: 'cut answer', afterBytes, until: received.promise }
      })
      const shaky = { ...client, network: { ...client.network, gateway: proxy.url } }
      const expected = fromByte === 0 ? bytes : bytes.subarray(fromByte, 2_990_000)
      expect(Buffer.compare(await download(shaky, { onProgress }), expected)).toBe(0)
      // Each request starts at the block that the one before did not deliver.
      expect(starts).toHaveLength(3)
      expect(starts[0]).toBe(fromByte)
      expect(starts[1]).toBeGreaterThan(fromByte)
      expect(starts[2]).toBeGreaterThan(starts[1] ?? 0)
      for (const start of starts.slice(1)) expect(start % 262_144).toBe(0)
    })

    test('fails after three attempts that deliver no further byte, and reports each byte once', async () => {
      const seen: number[] = []
      let isFirst = true
      await using gone = await alterGateway(client, (body) => {
        const wasFirst = isFirst
        isFirst = false
        return wasFirst ? body.subarray(0, 1_000_000) : undefined
      })
      await expect(downloadBytes(gone, cid, { onProgress: (step) => seen.push(step.bytes) })).rejects.toMatchObject({
        code: 'DOWNLOAD_INCOMPLETE',
      })
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    })
  })

  test('fails when it sends another file', async () => {
    const { cid } = await uploadBytes(client, bytesOf(1000))
    const other = Buffer.from(
      await (
        await fetch(`${network.profile.gateway}/ipfs/${(await uploadBytes(client, bytesOf(1001))).cid}?format=car`)
      ).arrayBuffer(),
    )
    await using liar = await alterGateway(client, () => other)
    await expect(downloadBytes(liar, cid)).rejects.toMatchObject({ code: 'VERIFICATION_FAILED' })
  })
})

describe('a download to disk', () => {
  test('writes a file with progress, and does not overwrite another', async () => {
    const bytes = bytesOf(3_000_000)
    const { cid } = await uploadBytes(client, bytes)
    const target = join(folder, 'plain')
    const steps: Progress[] = []
    expect(await downloadFile(client, cid, target, { onProgress: (step) => steps.push(step) })).toEqual({
      path: target,
      sizeBytes: 3_000_000,
      files: 1,
    })
    expect(Buffer.compare(readFileSync(target), bytes)).toBe(0)
    expect(steps.at(-1)).toMatchObject({ phase: 'receive', bytes: 3_000_000, total: 3_000_000 })
    expect(existsSync(`${target}.part`)).toBe(false)
    await expect(downloadFile(client, cid, target)).rejects.toMatchObject({ code: 'FILE_EXISTS' })
    await downloadFile(client, cid, target, { overwrite: true })
  })

  test.each([
    ['right', 0],
    ['torn', 7],
  ] as const)('resumes a %s part and fetches only the rest', async (_how, garbage) => {
    const bytes = bytesOf(4_000_000)
    const { cid } = await uploadBytes(client, bytes)
    const target = join(folder, `resumed-${garbage}`)
    writeFileSync(`${target}.part`, Buffer.concat([bytes.subarray(0, 3_000_000), Buffer.alloc(garbage)]))
    const steps: number[] = []
    await downloadFile(client, cid, target, {
      onProgress: (step) => {
        expect(step.total).toBe(bytes.length)
        steps.push(step.bytes)
      },
    })
    expect(Buffer.compare(readFileSync(target), bytes)).toBe(0)
    // Bytes that were there before count from the beginning.
    expect(bytes.length - (steps[0] ?? 0)).toBeLessThan(1_300_000)
    expect(steps.at(-1)).toBe(bytes.length)
  })

  test('a folder that is downloaded again keeps complete files, and replaces changed and longer ones', async () => {
    const entries = ['a', 'b', 'c'].map((path, i) => ({ path, content: bytesOf(1_000_000 + i) }))
    const { cid } = await uploadFolder(client, entries)
    const target = join(folder, 'again')
    // Without one response for all files, as for a large folder.
    await using plain = await alterGateway(client, (body, path) => (path.endsWith('=all') ? undefined : body))
    await downloadFile(plain, cid, target)
    const wrong = readFileSync(join(target, 'b'))
    wrong[999_999] = (wrong[999_999] ?? 0) ^ 1
    writeFileSync(join(target, 'b'), wrong)
    appendFileSync(join(target, 'c'), 'x')
    const { mtimeMs } = statSync(join(target, 'a'))
    await downloadFile(plain, cid, target, { overwrite: true })
    for (const { path, content } of entries) expect(Buffer.compare(readFileSync(join(target, path)), content)).toBe(0)
    expect(statSync(join(target, 'a')).mtimeMs).toBe(mtimeMs)
  })

  test('does not trust a changed part', async () => {
    const bytes = bytesOf(1_000_000)
    const { cid } = await uploadBytes(client, bytes)
    const target = join(folder, 'changed')
    const wrong = Buffer.from(bytes.subarray(0, 900_000))
    wrong[10] = (wrong[10] ?? 0) ^ 1
    writeFileSync(`${target}.part`, wrong)
    await downloadFile(client, cid, target)
    expect(Buffer.compare(readFileSync(target), bytes)).toBe(0)
  })

  test('keeps the verified bytes of an interrupted download, but no file of the final name', async () => {
    const bytes = bytesOf(2_000_000)
    const { cid } = await uploadBytes(client, bytes)
    const target = join(folder, 'interrupted')
    let breaks = 0
    await using short = await alterGateway(client, (body) => (breaks++ === 0 ? body.subarray(0, 1_200_000) : undefined))
    await expect(downloadFile(short, cid, target)).rejects.toMatchObject({ code: 'DOWNLOAD_INCOMPLETE' })
    expect(existsSync(target)).toBe(false)
    expect(statSync(`${target}.part`).size).toBeGreaterThan(500_000)
    await downloadFile(client, cid, target)
    expect(Buffer.compare(readFileSync(target), bytes)).toBe(0)
  })

  test('writes names of the maximum length, small and large', async () => {
    const entries = [
      { path: 'a'.repeat(255), content: 'small' },
      { path: `${'ü'.repeat(126)}1`, content: bytesOf(300_000) },
      { path: `${'ü'.repeat(126)}2`, content: bytesOf(400_000) },
    ]
    const { cid } = await uploadFolder(client, entries)
    await downloadFile(client, cid, join(folder, 'long names'))
    expect(readdirSync(join(folder, 'long names')).toSorted()).toEqual(entries.map(({ path }) => path))
  })

  test('a file replaces no folder, and a folder no file', async () => {
    const { cid } = await uploadBytes(client, bytesOf(300_000))
    const small = await uploadBytes(client, bytesOf(3))
    const { cid: tree } = await uploadFolder(client, [{ path: 'a', content: 'one' }])
    const target = join(folder, 'replaced')
    await downloadFile(client, tree, target)
    for (const one of [cid, small.cid])
      await expect(downloadFile(client, one, target, { overwrite: true })).rejects.toMatchObject({
        code: 'FILE_EXISTS',
        message: expect.stringContaining('is a folder'),
      })
    await expect(downloadFile(client, tree, join(target, 'a'), { overwrite: true })).rejects.toMatchObject({
      code: 'FILE_EXISTS',
      message: expect.stringContaining('is a file'),
    })
    expect(readdirSync(target)).toEqual(['a'])
    expect(readFileSync(join(target, 'a'), 'utf8')).toBe('one')
  })

  test('passes on an error of the progress callback', async () => {
    const { cid } = await uploadBytes(client, bytesOf(3_000_000))
    const onProgress = () => {
      throw new TypeError('mine')
    }
    await expect(downloadFile(client, cid, join(folder, 'callback'), { onProgress })).rejects.toThrow('mine')
  })

  test('writes a folder with folders', async () => {
    const { cid } = await uploadFolder(client, [
      { path: 'a.txt', content: 'one' },
      { path: 'b/c/d.txt', content: 'two' },
      { path: 'b/ü', content: '' },
    ])
    const target = join(folder, 'tree')
    expect(await downloadFile(client, cid, target)).toMatchObject({ files: 3, sizeBytes: 6 })
    expect(readFileSync(join(target, 'b/c/d.txt'), 'utf8')).toBe('two')
    expect(readdirSync(target).sort()).toEqual(['a.txt', 'b'])
    await expect(downloadFile(client, cid, target)).rejects.toMatchObject({ code: 'FILE_EXISTS' })
  })

  test('names that look like unfinished downloads keep their contents, small and large', async () => {
    const large = new Uint8Array(300_000).fill(7)
    const entries = [
      ...['a', 'a.part', 'a.part.part', 'b.part.part', 'b.part', 'b', 'c.part/d'].map((path) => ({
        path,
        content: path,
      })),
      { path: 'e.part', content: large },
      { path: 'e', content: 'small' },
    ]
    const { cid } = await uploadFolder(client, entries)
    const target = join(folder, 'parts')
    expect(await downloadFile(client, cid, target)).toMatchObject({ files: entries.length })
    for (const { path, content } of entries) expect(readFileSync(join(target, path))).toEqual(Buffer.from(content))
    expect(readdirSync(target).toSorted()).toEqual([
      'a',
      'a.part',
      'a.part.part',
      'b',
      'b.part',
      'b.part.part',
      'c.part',
      'e',
      'e.part',
    ])
  })

  test('an existing file of a folder stops the download, and keeps its content', async () => {
    const { cid } = await uploadFolder(
      client,
      Array.from({ length: 40 }, (_none, i) => ({ path: `${i}`, content: `content ${i}` })),
    )
    const target = join(folder, 'there')
    await downloadFile(client, cid, target)
    writeFileSync(join(target, '7'), 'mine')
    await expect(downloadFile(client, cid, target)).rejects.toMatchObject({ code: 'FILE_EXISTS' })
    expect(readFileSync(join(target, '7'), 'utf8')).toBe('mine')
    await downloadFile(client, cid, target, { overwrite: true })
    expect(readFileSync(join(target, '7'), 'utf8')).toBe('content 7')
    expect(readdirSync(target)).toHaveLength(40)
  })

  describe('of a folder with one request', () => {
    const entries = [
      { path: 'a', content: 'the same' },
      { path: 'b', content: 'the same' },
      { path: 'c/empty', content: '' },
      { path: 'c/large', content: bytesOf(2_500_000, true) },
      { path: 'c/z', content: 'the same' },
      ...Array.from({ length: 140 }, (_none, i) => ({ path: `d/${i}.part`, content: `content ${i}` })),
    ]
    const files = entries.length
    let cid = ''
    beforeAll(async () => {
      cid = (await uploadFolder(client, entries)).cid
    })
    const requireSame = (target: string): void => {
      for (const { path, content } of entries) {
        expect(Buffer.compare(readFileSync(join(target, path)), Buffer.from(content))).toBe(0)
      }
      expect(readdirSync(target, { recursive: true })).toHaveLength(files + 2)
    }

    test('receives all files, including equal ones, an empty one and a large one', async () => {
      const paths: string[] = []
      await using counted = await alterGateway(client, (body, path) => {
        paths.push(path)
        return body
      })
      const target = join(folder, 'one request')
      expect(await downloadFile(counted, cid, target)).toMatchObject({ files })
      requireSame(target)
      // What it is, its entries, and everything below.
      expect(paths.map((path) => path.split('dag-scope=')[1])).toEqual(['entity', 'entity', 'all'])
    })

    test.each([0, 0.1, 0.5, 0.97])(
      'fetches the rest file by file when the response ends after %d of its bytes',
      async (part) => {
        await using short = await alterGateway(client, (body, path) =>
          path.includes(`${cid}?`) && path.endsWith('=all') ? body.subarray(0, body.length * part) : body,
        )
        const target = join(folder, `ends at ${part}`)
        expect(await downloadFile(short, cid, target)).toMatchObject({ files })
        requireSame(target)
      },
    )

    test('does not write a wrong byte in it, and fetches those files one by one', async () => {
      let wrong = 0
      await using liar = await alterGateway(client, (body, path) => {
        if (!path.endsWith('=all')) return body
        const at = Math.floor((body.length * (wrong++ + 1)) / 5)
        body[at] = (body[at] ?? 0) ^ 1
        return body
      })
      const target = join(folder, 'wrong byte')
      expect(await downloadFile(liar, cid, target)).toMatchObject({ files })
      expect(wrong).toBeGreaterThan(1)
      requireSame(target)
    })

    test('an abort ends it, and leaves no unfinished file', async () => {
      const stop = new AbortController()
      const target = join(folder, 'aborted')
      await expect(
        downloadFile(client, cid, target, { signal: stop.signal, onProgress: () => stop.abort() }),
      ).rejects.toMatchObject({ code: 'ABORTED' })
      const left = readdirSync(target, { recursive: true, encoding: 'utf8' })
      expect(left.filter((path) => path.includes('.cairn-'))).toEqual([])
    })
  })

  describe('of a folder with names that some file systems treat as equal', () => {
    const large = bytesOf(600_000)
    const entries = [
      { path: 'A', content: 'file A' },
      { path: 'a', content: 'file a' },
      { path: 'caf\u00e9', content: 'composed' },
      { path: 'cafe\u0301', content: 'decomposed' },
      { path: 'x/Stra\u00dfe/one', content: 'sharp s' },
      { path: 'x/STRASSE/one', content: 'capitals' },
      { path: 'x/straSSe', content: large },
      { path: 'x/strasse', content: large.toReversed() },
    ]
    let cid = ''
    beforeAll(async () => {
      cid = (await uploadFolder(client, entries)).cid
    })
    const requireSame = (target: string): void => {
      for (const { path, content } of entries)
        expect(Buffer.compare(readFileSync(join(target, path)), Buffer.from(content)), path).toBe(0)
      expect(readdirSync(target, { recursive: true })).toHaveLength(entries.length + 3)
    }
    /** Without the response that contains everything below a folder. */
    const fileByFile = () =>
      alterGateway(client, (body, path) => (path.endsWith('=all') && path.includes(cid) ? undefined : body))

    test('writes all of them on a file system that distinguishes them, from one response and file by file', async () => {
      await downloadFile(client, cid, join(folder, 'names'))
      requireSame(join(folder, 'names'))
      await using slow = await fileByFile()
      await downloadFile(slow, cid, join(folder, 'names one by one'))
      requireSame(join(folder, 'names one by one'))
    })

    test.each(['one response', 'file by file'])('resumes after an abort, %s', async (way) => {
      const target = join(folder, `names continued ${way}`)
      await using slow = way === 'file by file' ? await fileByFile() : undefined
      const from = slow ?? client
      const stop = new AbortController()
      const aborted = downloadFile(from, cid, target, { signal: stop.signal, onProgress: () => stop.abort() })
      await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' })
      expect(
        readdirSync(target, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('.cairn-')),
      ).toEqual([])
      await downloadFile(from, cid, target, { overwrite: true })
      requireSame(target)
    })
  })

  describe('the progress of a folder counts within its large files,', () => {
    let cid = ''
    beforeAll(async () => {
      const entries = [
        { path: 'large', content: bytesOf(24_000_000) },
        // Below the minimum size for keeping parts.
        { path: 'medium', content: bytesOf(6_000_000).toReversed() },
        { path: 'small', content: 'small' },
      ]
      cid = (await uploadFolder(client, entries)).cid
    })

    test.each([
      ['one response', 1],
      ['file by file', 0],
      ['and no byte twice when the response breaks', 0.9],
    ])('%s', async (way, arrives) => {
      await using slow = await alterGateway(client, (body, path) =>
        path.endsWith('=all') ? body.subarray(0, body.length * arrives) : body,
      )
      const seen: number[] = []
      await downloadFile(slow, cid, join(folder, `progress ${way}`), { onProgress: ({ bytes }) => seen.push(bytes) })
      // The first bytes are always reported.
      expect(seen[0]).toBeLessThanOrEqual(1024 * 1024)
      expect(seen.at(-1)).toBe(30_000_005)
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    })
  })

  test('resumes an interrupted folder within its large files', async () => {
    const large = bytesOf(24_000_000)
    const entries = [
      { path: '.cairn-00112233445566aa.part', content: 'the name of an unfinished file' },
      { path: 'a/.cairn-00112233445566bb.part', content: 'another' },
      { path: 'a/small', content: 'small' },
      { path: 'large', content: large },
      { path: 'later', content: 'later' },
    ]
    const { cid } = await uploadFolder(client, entries)
    const target = join(folder, 'cut short')
    let keptBytes = 20_000_000
    let rangeBytes = 0
    await using cut = await alterGateway(client, (body, path) => {
      if (path.includes('entity-bytes')) rangeBytes += body.length
      if (path.endsWith('=all')) return body.subarray(0, keptBytes)
      // The listing of the root comes first; files fetched one by one follow, and fail.
      return path.includes(cid) || keptBytes > 20_000_000 ? body : undefined
    })
    await expect(downloadFile(cut, cid, target)).rejects.toMatchObject({ code: expect.any(String) })
    const part = statSync(join(target, 'large.part'))
    expect(part.size).toBeGreaterThan(15_000_000)

    // Left by killed downloads.
    for (const left of ['.cairn-0123456789abcdef.part', 'a/.cairn-0123456789abcdef.part'])
      writeFileSync(join(target, left), 'left')
    keptBytes = Number.POSITIVE_INFINITY
    expect(await downloadFile(cut, cid, target, { overwrite: true })).toMatchObject({ files: entries.length })
    expect(rangeBytes).toBeLessThan(large.length - part.size + 2 * 1024 * 1024)
    for (const { path, content } of entries)
      expect(Buffer.compare(readFileSync(join(target, path)), Buffer.from(content)), path).toBe(0)
    expect(readdirSync(target, { recursive: true })).toHaveLength(entries.length + 1)
  })

  test('lists and reads a sharded folder of thousands of files', async () => {
    const entries = Array.from({ length: 3500 }, (_none, i) => ({
      path: `a rather long name for a file in a folder ${i}`,
      content: String(i),
    }))
    const { cid } = await uploadFolder(client, entries)
    const names: string[] = []
    for await (const { name } of listDirectory(client, cid)) names.push(name)
    expect(new Set(names).size).toBe(3500)
    expect(new TextDecoder().decode(await downloadBytes(client, `${cid}/${entries[3210]?.path}`))).toBe('3210')
  })
})
