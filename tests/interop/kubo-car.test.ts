import { hash as hashOnce } from 'node:crypto'
import {
  type CarBlock,
  encodeCarFrame,
  encodeCarHeader,
  type ImportedNode,
  importProfiles,
  readCar,
  verifyBlock,
} from '@cairn/unixfs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FileTree, fileTrees, importFile, importTree, patternedBytes, writeTree } from './file-tree.ts'
import { type Kubo, startKubo } from './kubo.ts'

type CID = ImportedNode['cid']

const hash = (bytes: Uint8Array): Uint8Array => hashOnce('sha256', bytes, 'buffer')
const profiles = Object.values(importProfiles)

/** Gathers the blocks of an import. */
function createBlockList() {
  const blocks = new Map<string, { cid: CID; bytes: Uint8Array }>()
  return {
    blocks,
    put: (cid: CID, bytes: Uint8Array) => void blocks.set(cid.toString(), { cid, bytes: bytes.slice() }),
  }
}

function* encodeCar(roots: readonly CID[], blocks: Iterable<{ cid: CID; bytes: Uint8Array }>): Generator<Uint8Array> {
  yield encodeCarHeader(roots)
  for (const { cid, bytes } of blocks) {
    yield encodeCarFrame(cid, bytes.length)
    yield bytes
  }
}

/** Pieces of a size that splits frames at every possible place. */
async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** Reads and verifies a whole CAR with our reader. */
async function readWholeCar(
  source: AsyncIterable<Uint8Array>,
): Promise<{ roots: string[]; blocks: Map<string, Buffer> }> {
  const reading = await readCar(source)
  const blocks = new Map<string, Buffer>()
  for await (const { cid, bytes } of reading.blocks satisfies AsyncIterable<CarBlock>) {
    await verifyBlock(cid, bytes, hash)
    blocks.set(cid.toString(), Buffer.from(bytes))
  }
  return { roots: reading.roots.map(String), blocks }
}

let kubo: Kubo
beforeAll(async () => {
  kubo = await startKubo()
})
afterAll(() => kubo?.[Symbol.asyncDispose]())

describe.each(profiles)('CARs of $name', (profile) => {
  it('ours is imported by Kubo, which then returns the file', async () => {
    const list = createBlockList()
    const content = Buffer.concat([...patternedBytes(5 * profile.chunkSizeBytes + 17, 21)])
    const { cid } = await importFile([content], profile, list)
    const report = await kubo.run(['dag', 'import', '--stats'], encodeCar([cid], list.blocks.values()))
    expect(report.toString()).toContain(`Pinned root\t${cid}\tsuccess`)
    expect(report.toString()).toContain(`Imported ${list.blocks.size} blocks`)
    expect((await kubo.run(['cat', cid.toString()])).equals(content)).toBe(true)
  })

  it('that of Kubo is read by ours, with the same blocks', async () => {
    await fc.assert(
      fc.asyncProperty(fileTrees(10, 3000), fc.integer({ min: 1, max: 4000 }), async (tree, pieceBytes) => {
        const list = createBlockList()
        const { cid } = await importTree(tree, profile, list)
        await using written = await writeTree(tree)
        await kubo.run(['add', '-Q', '-r', '-H', ...addArgsOf(profile.name), written.folder])
        const car = await kubo.run(['dag', 'export', '--progress=false', cid.toString()])
        const { roots, blocks } = await readWholeCar(inPieces(car, pieceBytes))
        expect(roots).toEqual([cid.toString()])
        expect([...blocks.keys()].sort()).toEqual([...list.blocks.keys()].sort())
        for (const [name, bytes] of blocks)
          expect(bytes.equals(list.blocks.get(name)?.bytes ?? Buffer.alloc(0))).toBe(true)
      }),
      { numRuns: 15 },
    )
  })

  it('our folders, links and HAMTs arrive in Kubo unchanged', async () => {
    const many: FileTree = new Map()
    for (let index = 0; index < 6000; index++) many.set(`file-${index}-${'n'.repeat(20)}`, Buffer.from(String(index)))
    const tree: FileTree = new Map<string, FileTree | Uint8Array | string>([
      ['many', many],
      ['empty', new Map()],
      ['link', 'many/file-1'],
    ])
    const list = createBlockList()
    const { cid } = await importTree(tree, profile, list)
    await kubo.run(['dag', 'import'], encodeCar([cid], list.blocks.values()))
    const names = (await kubo.run(['ls', '--size=false', '--resolve-type=false', `${cid}/many`]))
      .toString()
      .trim()
      .split('\n')
    expect(names.length).toBe(6000)
    expect((await kubo.run(['cat', `${cid}/many/file-4711-${'n'.repeat(20)}`])).toString()).toBe('4711')
    await using copy = await writeTree(new Map())
    await kubo.run(['get', '--progress=false', '-o', `${copy.folder}/out`, cid.toString()])
    const again = await kubo.run(['add', '-Q', '-r', '-H', '-n', ...addArgsOf(profile.name), `${copy.folder}/out`])
    expect(again.toString().trim()).toBe(cid.toString())
  })
})

it('both reject a CAR with a wrong hash', async () => {
  const list = createBlockList()
  const { cid } = await importFile([Buffer.from('right')], importProfiles.v1, list)
  const car = Buffer.concat([...encodeCar([cid], [{ cid, bytes: Buffer.from('wrong') }])])
  await expect(kubo.run(['dag', 'import'], car)).rejects.toThrow(/mismatch|invalid/i)
  await expect(readWholeCar(inPieces(car, 10))).rejects.toMatchObject({ code: 'HASH_MISMATCH' })
})

/** How a profile is passed to Kubo on the command line; the 2025 profile by its parts. */
function addArgsOf(name: string): string[] {
  if (name === 'v0') return []
  return name === 'v1' ? ['--cid-version=1'] : ['--cid-version=1', '--chunker=size-1048576', '--max-file-links=1024']
}
