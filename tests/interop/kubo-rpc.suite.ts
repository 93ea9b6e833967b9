import { importProfiles } from '@cairn/unixfs'
import { create, globSource, type ImportCandidate, type KuboRPCClient } from 'kubo-rpc-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FileTree, importFile, importTree, patternedBytes, writeTree } from './file-tree.ts'
import { type Kubo, startKubo } from './kubo.ts'

/** A service with Kubo's RPC API. */
export type RpcTarget = AsyncDisposable & {
  /** URL below which `/api/v0/…` is served. */
  apiUrl: string
  gatewayUrl: string
  /** Sent with each call, such as `Authorization`. */
  headers: Record<string, string>
}

/** All entries of a folder, as found by the client's own walk. */
async function* walk(folder: string): AsyncGenerator<ImportCandidate> {
  for await (const { path, content } of globSource(folder, '**/*')) {
    yield content === undefined ? { path } : { path, content }
  }
}

/** What an unchanged `kubo-rpc-client` can expect of a service: `add`, `addAll`, `cat`, `dag.import`, and its gateway. */
export function describeKuboRpc(name: string, start: () => Promise<RpcTarget>): void {
  describe(`kubo-rpc-client with ${name}`, () => {
    let target: RpcTarget
    let client: KuboRPCClient
    beforeAll(async () => {
      target = await start()
      client = create({ url: `${target.apiUrl}/api/v0`, headers: target.headers })
    })
    afterAll(() => target?.[Symbol.asyncDispose]())

    const readAll = async (source: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(source))

    it.each([0, 1, 262_144, 262_145, 3_000_000])('adds %i bytes and reads them back', async (size) => {
      const content = Buffer.concat([...patternedBytes(size, 51)])
      for (const cidVersion of [0, 1] as const) {
        const profile = cidVersion === 0 ? importProfiles.v0 : importProfiles.v1
        const expected = await importFile([content], profile)
        const added = await client.add(content, { cidVersion })
        expect({ cid: added.cid.toString(), size: added.size }).toEqual({
          cid: expected.cid.toString(),
          size: expected.dagSizeBytes,
        })
        expect((await readAll(client.cat(added.cid))).equals(content)).toBe(true)
      }
    })

    it('returns a part of a file', async () => {
      const content = Buffer.concat([...patternedBytes(600_000, 52)])
      const { cid } = await client.add(content, { cidVersion: 1 })
      const part = await readAll(client.cat(cid, { offset: 262_000, length: 500 }))
      expect(part.equals(content.subarray(262_000, 262_500))).toBe(true)
    })

    it('adds a folder with odd names in one call, children before their folder', async () => {
      const tree: FileTree = new Map<string, FileTree | Uint8Array | string>([
        ['ü a+b%20.txt', Buffer.from('odd')],
        ['sub', new Map([['large.bin', Buffer.concat([...patternedBytes(700_000, 53)])]])],
      ])
      const expected = await importTree(tree, importProfiles.v1)
      await using written = await writeTree(tree)
      const added = await Array.fromAsync(
        client.addAll(walk(written.folder), { cidVersion: 1, wrapWithDirectory: true }),
      )
      expect(added.map(({ path }) => path).sort()).toEqual(['', 'sub', 'sub/large.bin', 'ü a+b%20.txt'].sort())
      expect(added.at(-1)?.path).toBe('')
      expect(added.at(-1)?.cid.toString()).toBe(expected.cid.toString())
      expect((await readAll(client.cat(`${expected.cid}/ü a+b%20.txt`))).toString()).toBe('odd')
    })

    it('reports its progress', async () => {
      const content = Buffer.concat([...patternedBytes(2_000_000, 54)])
      const seen: number[] = []
      await client.add(content, { cidVersion: 1, progress: (bytes) => void seen.push(bytes) })
      expect(seen.at(-1)).toBe(content.length)
    })

    it('accepts a CAR that Kubo wrote, and Kubo accepts one that our gateway wrote', async () => {
      await using kubo: Kubo = await startKubo()
      const content = Buffer.concat([...patternedBytes(900_000, 55)])
      const cid = (await kubo.run(['add', '-Q', '--cid-version=1', '-w', '--stdin-name=a.bin'], content))
        .toString()
        .trim()
      const car = await kubo.run(['dag', 'export', '--progress=false', cid])
      const roots = await Array.fromAsync(client.dag.import([car]))
      expect(roots.map(({ root }) => root.cid.toString())).toEqual([cid])
      const answer = await fetch(`${target.gatewayUrl}/ipfs/${cid}?format=car`)
      expect(answer.status).toBe(200)
      await using second = await startKubo()
      await second.run(['dag', 'import'], new Uint8Array(await answer.arrayBuffer()))
      expect((await second.run(['cat', `${cid}/a.bin`])).equals(content)).toBe(true)
    })

    it('reports errors in words that the client passes on', async () => {
      await expect(readAll(client.cat('not-a-cid'))).rejects.toThrow(/cid|path/i)
      await expect(Array.fromAsync(client.dag.import([Buffer.from('this is no CAR')]))).rejects.toThrow()
    })
  })
}
