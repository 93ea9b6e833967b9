import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { kubo as kuboProgram, requireBinary } from './binaries.ts'
import { type FileTree, patternedBytes, writeTree } from './file-tree.ts'
import { type Kubo, startKubo } from './kubo.ts'
import { runProgram, type Stdin } from './run-program.ts'

/** Runs Kubo's own program, as it is built, against a service. */
type Ipfs = (args: readonly string[], stdin?: Stdin) => Promise<Buffer>

let network: TestNetwork
let kubo: Kubo
let home: string
/** The program against Kubo's daemon, and against our service: every expectation of ours is shown to hold for Kubo. */
let theirs: Ipfs
let ours: Ipfs
let anonymous: Ipfs

beforeAll(async () => {
  network = await createTestNetwork()
  kubo = await startKubo()
  home = await mkdtemp(join(tmpdir(), 'cairn-ipfs-'))
  const { apiKey } = await createTestKey(network)
  const env = { PATH: process.env['PATH'], HOME: home, IPFS_PATH: home, IPFS_TELEMETRY: 'off' }
  const program = (url: string, ...auth: string[]): Ipfs => {
    const api = `--api=/ip4/127.0.0.1/tcp/${new URL(url).port}`
    return (args, stdin) =>
      runProgram(requireBinary(kuboProgram), [api, ...auth, ...args], {
        cwd: home,
        env,
        ...(stdin === undefined ? {} : { stdin }),
      })
  }
  theirs = program(kubo.apiUrl)
  ours = program(network.profile.api, `--api-auth=bearer:${apiKey}`)
  anonymous = program(network.profile.api)
})
afterAll(async () => {
  await kubo?.[Symbol.asyncDispose]()
  await network?.[Symbol.asyncDispose]()
  if (home !== undefined) await rm(home, { recursive: true, force: true })
})

/** Runs a command against both and expects the same output. */
async function same(args: readonly string[], stdin?: Uint8Array): Promise<string> {
  const expected = (await theirs(args, stdin)).toString()
  expect((await ours(args, stdin)).toString(), args.join(' ')).toBe(expected)
  return expected.trim()
}

async function errorOf(run: Promise<unknown>): Promise<string> {
  const error: unknown = await run.then(() => undefined).catch((reason: unknown) => reason)
  return error instanceof Error ? error.message : ''
}

describe("Kubo's program with our service", () => {
  it('reports its version and the service it talks to', async () => {
    const version = await fetch(`${network.profile.api}/api/v0/version`, { method: 'POST' })
    expect(await version.json()).toMatchObject({ Version: kuboProgram.version.slice(1), Commit: 'cairn' })
    const id: unknown = JSON.parse((await ours(['id'])).toString())
    expect(id).toMatchObject({ AgentVersion: expect.stringContaining('cairn/'), ID: expect.stringMatching(/^12D3/) })
  })

  it('adds files and folders from the disk, in every form that Kubo has', async () => {
    const file = join(home, 'a file.bin')
    await writeFile(file, Buffer.concat([...patternedBytes(600_000, 61)]), { mode: 0o640 })
    for (const options of [
      [],
      ['--cid-version=1'],
      ['--cid-version=1', '--raw-leaves=false'],
      ['--only-hash'],
      ['--wrap-with-directory'],
      ['--chunker=size-65536'],
      ['--cid-version=1', '--chunker=size-16384', '--max-file-links=3'],
      ['--chunker=size-16384', '--max-file-links=3'],
      ['--progress=false', '--pin=false'],
      ['--preserve-mode'],
      ['--cid-version=1', '--preserve-mode', '--preserve-mtime'],
      ['--mode=0755', '--mtime=-5', '--mtime-nsecs=7'],
    ]) {
      await same(['add', ...options, file])
    }
    await same(['add', '--quieter', '--stdin-name=in.txt', '--wrap-with-directory'], Buffer.from('from stdin'))
  })

  it('stores blocks and nodes with every hash function', async () => {
    const listed = (await theirs(['cid', 'hashes'])).toString().trim().split('\n')
    const refused: string[] = []
    for (const name of listed) {
      const args = ['block', 'put', `--mhtype=${name}`]
      const block = Buffer.from(`a block by ${name}`)
      // Kubo lists some functions that it cannot compute.
      const cid = await theirs(args, block).catch(() => undefined)
      if (cid === undefined) continue
      const answer = await ours(args, block).catch(() => undefined)
      if (answer === undefined) refused.push(name)
      else expect([name, answer.toString()]).toEqual([name, cid.toString()])
    }
    expect(refused).toEqual(['shake-256'])
    for (const hash of ['sha1', 'sha2-512', 'sha3-256', 'blake2b-256', 'blake3']) {
      const cid = await same(['dag', 'put', `--hash=${hash}`], Buffer.from(`{"by":"${hash}"}`))
      await same(['dag', 'get', cid])
      await same(['block', 'stat', cid])
    }
    for (const cut of ['--mhlen=20', '--mhlen=31', '--mhtype=sha2-512', '--mhtype=blake2b-512']) {
      await same(['block', 'put', cut], Buffer.from(cut))
    }
    for (const unsafe of ['--mhtype=md5', '--mhtype=murmur3-x64-64', '--mhlen=19', '--mhlen=33']) {
      expect(await errorOf(theirs(['block', 'put', unsafe], Buffer.from('x')))).toMatch(/Error/)
      expect(await errorOf(ours(['block', 'put', unsafe], Buffer.from('x')))).toMatch(/Error/)
    }
  })

  it('imports trees of other hash functions, and returns them', async () => {
    const content = Buffer.concat([...patternedBytes(700_000, 71)])
    await using written = await writeTree(
      new Map<string, FileTree | Uint8Array | string>([
        ['large.bin', content],
        ['sub', new Map([['b.txt', Buffer.from('b')]])],
      ]),
    )
    const car = join(home, 'hashed.car')
    for (const hash of ['sha2-512', 'sha3-512', 'blake2b-256', 'blake2b-512', 'blake2s-256', 'blake3', 'keccak-256']) {
      const add = ['add', '-r', '-Q', '-H', '--cid-version=1', `--hash=${hash}`, written.folder]
      const root = (await theirs(add)).toString().trim()
      await writeFile(car, await theirs(['dag', 'export', '--progress=false', root]))
      expect((await ours(['dag', 'import', car])).toString()).toContain(`Pinned root\t${root}\tsuccess`)
      expect((await anonymous(['cat', `/ipfs/${root}/large.bin`])).equals(content), hash).toBe(true)
      for (const args of [
        ['ls', root],
        ['cat', `${root}/sub/b.txt`],
        ['dag', 'export', '--progress=false', root],
        ['block', 'get', root],
        ['files', 'stat', `/ipfs/${root}`],
      ]) {
        await same(args)
      }
    }
  })

  it('adds trees, with or without empty folders, and HAMTs of any fan-out', async () => {
    const many: FileTree = new Map(
      Array.from({ length: 700 }, (_, index) => [`file number ${index}`, Buffer.from(`${index}`)]),
    )
    const tree: FileTree = new Map<string, FileTree | Uint8Array | string>([
      ['ü a+b%20.txt', Buffer.from('odd')],
      ['empty', new Map()],
      ['deep', new Map([['down', new Map([['nothing', new Map()]])]])],
      ['link', 'ü a+b%20.txt'],
      ['many', many],
    ])
    await using written = await writeTree(tree)
    for (const options of [
      [],
      ['--empty-dirs=false'],
      ['--empty-dirs=false', '--wrap-with-directory'],
      ['--max-directory-links=100'],
      ['--max-directory-links=100', '--max-hamt-fanout=8'],
      ['--cid-version=1', '--max-directory-links=100', '--max-hamt-fanout=16'],
      ['--max-directory-links=100', '--max-hamt-fanout=1024'],
      ['--preserve-mode', '--preserve-mtime', '--max-directory-links=100'],
      ['--wrap-with-directory', '--preserve-mode', '--mtime=1700000000'],
    ]) {
      const root = await same(['add', '--recursive', '--quieter', ...options, written.folder])
      expect((await same(['ls', root])).length).toBeGreaterThan(0)
    }
  })

  it('reads them back: cat, ls, get, resolve, dag and block', async () => {
    const content = Buffer.concat([...patternedBytes(700_000, 62)])
    await using written = await writeTree(
      new Map<string, FileTree | Uint8Array | string>([
        ['large.bin', content],
        ['sub', new Map([['b.txt', Buffer.from('b')]])],
        ['link', 'sub/b.txt'],
      ]),
    )
    const root = await same(['add', '--recursive', '--quieter', '--cid-version=1', written.folder])
    expect((await anonymous(['cat', `/ipfs/${root}/large.bin`])).equals(content)).toBe(true)
    await same(['cat', '--offset=5', '--length=7', `${root}/large.bin`])
    for (const args of [
      ['ls', root],
      ['ls', '--headers', root, `${root}/sub`],
      ['ls', '--stream', `${root}/sub`],
      ['ls', '--size=false', '--resolve-type=false', root],
      ['ls', `${root}/large.bin`],
      ['resolve', `/ipfs/${root}/sub/b.txt`],
      ['dag', 'get', root],
      ['dag', 'get', `${root}/sub`],
      ['dag', 'get', `${root}/sub/b.txt`],
      ['dag', 'get', '--output-codec=dag-cbor', root],
      ['dag', 'resolve', `${root}/sub`],
      ['dag', 'export', '--progress=false', root],
      ['block', 'get', root],
      ['block', 'stat', root],
    ]) {
      await same(args)
    }
    for (const [program, name] of [
      [theirs, 'theirs'],
      [ours, 'ours'],
    ] as const) {
      await mkdir(join(home, name))
      await program(['get', '--output', join(home, name, 'got'), root])
      await program(['get', '--output', join(home, name, 'b.txt'), `${root}/sub/b.txt`])
    }
    for (const path of ['got/large.bin', 'got/sub/b.txt', 'got/link', 'b.txt']) {
      const expected = await readFile(join(home, 'theirs', path))
      expect((await readFile(join(home, 'ours', path))).equals(expected), path).toBe(true)
    }
  })

  it('stores blocks and nodes, and measures them, with the output of Kubo', async () => {
    await same(['block', 'put'], Buffer.from('one block'))
    await same(['block', 'put', '--cid-codec=dag-pb'], Buffer.from('0a020801', 'hex'))
    await same(['dag', 'put'], Buffer.from('{"b":[1,null,true],"a":{"c":{"/":{"bytes":"AQID"}}}}'))
    await same(['dag', 'put', '--store-codec=dag-json'], Buffer.from('{"b": 1, "a": 2.5}'))
    const cbor = Buffer.from('a2616101616202', 'hex')
    await same(['dag', 'put', '--input-codec=dag-cbor', '--store-codec=dag-cbor'], cbor)
    const content = Buffer.concat([...patternedBytes(700_000, 63)])
    await using written = await writeTree(
      new Map<string, FileTree | Uint8Array | string>([
        ['large.bin', content],
        ['sub', new Map([['same.bin', content]])],
      ]),
    )
    const root = await same(['add', '--recursive', '--quieter', '--cid-version=1', written.folder])
    await same(['dag', 'stat', '--progress=false', root])
    await same(['dag', 'stat', '--progress=false', root, `/ipfs/${root}/sub`])
    for (const path of ['', '/sub', '/large.bin']) await same(['files', 'stat', `/ipfs/${root}${path}`])
    await same(['files', 'stat', '--hash', `/ipfs/${root}/sub`])
    expect((await ours(['repo', 'stat'])).toString()).toContain('RepoSize:')
  })

  it('creates keys and publishes names', async () => {
    const cid = await same(['add', '-Q', '--cid-version=1'], Buffer.from('published'))
    const made = (await ours(['key', 'gen', 'site'])).toString().trim()
    expect((await ours(['key', 'list', '-l'])).toString()).toBe(`${made} site \n`)
    expect((await ours(['key', 'rename', 'site', 'blog'])).toString()).toBe(`Key ${made} renamed to blog\n`)
    const published = `Published to ${made}: /ipfs/${cid}\n`
    expect((await ours(['name', 'publish', '--key=blog', `/ipfs/${cid}`])).toString()).toBe(published)
    expect((await ours(['name', 'resolve', made])).toString()).toBe(`/ipfs/${cid}\n`)
    expect((await ours(['key', 'rm', 'blog'])).toString()).toBe('blog\n')
  })

  it('imports CARs, and pins', async () => {
    const cid = (await kubo.run(['add', '-Q', '--cid-version=1'], Buffer.from('to be imported'))).toString().trim()
    const car = await kubo.run(['dag', 'export', '--progress=false', cid])
    expect((await ours(['dag', 'import', '--stats'], car)).toString()).toBe(
      (await theirs(['dag', 'import', '--stats'], car)).toString(),
    )
    const pinned = async () => (await ours(['pin', 'ls', '--type=recursive', '--quiet'])).toString().split('\n')
    expect(await pinned()).toContain(cid)
    expect((await ours(['pin', 'ls', cid])).toString()).toBe(`${cid} recursive\n`)
    await same(['pin', 'add', cid])
    await same(['pin', 'rm', cid])
    expect(await pinned()).not.toContain(cid)
    const [here, there] = await Promise.all([errorOf(ours(['pin', 'rm', cid])), errorOf(theirs(['pin', 'rm', cid]))])
    expect(there).toContain('not pinned')
    expect(here).toContain('not pinned')
  })

  it('shows errors to its user', async () => {
    const cases: [() => Promise<unknown>, RegExp][] = [
      [() => ours(['files', 'ls']), /does not support Kubo's call "files\/ls"/],
      [() => ours(['swarm', 'peers']), /does not support Kubo's call "swarm\/peers"/],
      [
        () => ours(['cat', 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku']),
        /not stored on this service/,
      ],
      [() => ours(['cat', 'nothing']), /invalid path "nothing": Invalid CID/],
      [() => ours(['add', '--trickle'], Buffer.from('x')), /trickle is not supported/],
      [() => ours(['add', '--mode=0644', '--raw-leaves'], Buffer.from('x')), /cannot be used with modes or times/],
      [() => ours(['--cid-base=base36', 'add'], Buffer.from('x')), /does not support the option "cid-base"/],
      [() => anonymous(['add'], Buffer.from('x')), /Authentication failed/],
      [() => anonymous(['pin', 'ls']), /Authentication failed/],
    ]
    for (const [run, expected] of cases) expect(await errorOf(run())).toMatch(expected)
  })
})
