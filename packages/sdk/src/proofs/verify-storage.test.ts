import { createHash } from 'node:crypto'
import { encodePieceCid, parsePieceCid } from '@cairn/pieces'
import type { PieceProof } from '@cairn/protocol'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { afterEach, describe, expect, test } from 'vitest'
import { createBlock, createLyingService, type LyingService, type StoredBlock } from './lying-service.suite.ts'
import { verifyNonce } from './nonce-source.ts'
import { verifyStorage } from './verify-storage.ts'

const pbCode = 0x70
const jsonCode = 0x0200

let service: LyingService
afterEach(() => service[Symbol.asyncDispose]())

const bytesOf = (text: string) => new TextEncoder().encode(text.padEnd(300, `${text} `))
const leaf = await createBlock(bytesOf('a leaf'))
const second = await createBlock(bytesOf('a second leaf'))

function nodeBytes(links: readonly CID[]): Uint8Array {
  return dagPb.encode(dagPb.prepare({ Data: Uint8Array.of(8, 1), Links: links.map((Hash) => ({ Hash, Name: '' })) }))
}

const root = await createBlock(nodeBytes([leaf.cid, second.cid]), pbCode)

async function open(top: CID, blocks: readonly StoredBlock[], besideBytes?: number): Promise<PieceProof> {
  service = await createLyingService(top, blocks, besideBytes)
  const [piece] = service.proofs.pieces
  if (piece === undefined) throw new Error('there is a piece')
  return piece
}

describe('the proven part', () => {
  test('is the root block, and with a full check all blocks', async () => {
    await open(root.cid, [leaf, second, root])
    const quick = await verifyStorage(service.client, root.cid.toString())
    expect(quick).toMatchObject({ isProven: true, content: { outcome: 'skipped' }, pieces: [{ copies: 1 }] })
    expect(quick.unproven[0]?.reason).toMatch(/contain more than the root block/)
    const full = await verifyStorage(service.client, root.cid.toString(), { full: true })
    expect(full).toMatchObject({ isProven: true, content: { outcome: 'proven' } })
    expect(full.content.message).toMatch(/^All 3 blocks of the content are in/)
    const { content, pieces } = full
    expect(content.reasonFacts).toMatchObject({ code: 'ALL_BLOCKS_PRESENT', values: { blocks: 3 } })
    expect(pieces[0]?.block.reasonFacts.code).toBe('ROOT_AT')
  })

  test('is everything if the root has no links', async () => {
    await open(leaf.cid, [leaf])
    expect(await verifyStorage(service.client, leaf.cid.toString())).toMatchObject({
      isProven: true,
      content: { outcome: 'proven' },
    })
  })

  test('counts keys, not deals', async () => {
    const { aggregate } = await open(leaf.cid, [leaf])
    const [deal] = aggregate?.deals ?? []
    if (deal === undefined) throw new Error('there is a deal')
    aggregate?.deals.push({ ...deal, id: 2, provider: { ...deal.provider, name: 'another', key: null } })
    const report = await verifyStorage(service.client, leaf.cid.toString())
    expect(report.pieces[0]?.providers).toHaveLength(2)
    expect(report.pieces[0]?.copies).toBe(1)
    expect(report.pieces[0]?.providers[1]?.key).toBe(deal.provider.key)
  })
})

describe('a recorded proof', () => {
  const readRecorded = async () => {
    const { pieces } = await verifyStorage(service.client, service.proofs.cid, { challenge: false })
    return pieces[0]?.providers[0]?.recorded
  }

  test('covers all content of the aggregate, and its padding in older proofs', async () => {
    await open(root.cid, [leaf, second, root], 100_000)
    expect(service.content.length).toBeGreaterThan(1)
    await service.record(service.content)
    expect(await readRecorded()).toMatchObject({
      outcome: 'proven',
      message: 'Proved 20 leaves of the content of the aggregate, chosen by the service',
    })
    await service.record()
    expect(await readRecorded()).toMatchObject({
      outcome: 'proven',
      message: 'Proved 20 leaves of the aggregate including its padding, chosen by the service',
    })
  })

  test('fails if the service never challenged the whole piece', async () => {
    const { aggregate, piece } = await open(root.cid, [leaf, second, root], 100_000)
    const start = (aggregate?.inclusion.subtree.index ?? 0) * 2 ** parsePieceCid(piece).height
    await service.record(service.content.filter((one) => one.start !== start))
    const reasonFacts = { code: 'PROOF_NOT_COVERING' }
    expect(await readRecorded()).toMatchObject({ outcome: 'failed', code: 'PROOF_INVALID', reasonFacts })
    await service.record(service.content.map((one) => (one.start === start ? { start, count: one.count - 1 } : one)))
    expect(await readRecorded()).toMatchObject({ outcome: 'failed', code: 'PROOF_INVALID' })
  })
})

describe('detects a lying service that', () => {
  test('states a smaller payload of the aggregate, so that only its first leaves are requested', async () => {
    const { aggregate } = await open(root.cid, [leaf, second, root], 100_000)
    if (aggregate == null) throw new Error('there is an aggregate')
    aggregate.piece = encodePieceCid({ ...parsePieceCid(aggregate.piece), payloadBytes: 127 })
    service.hasLeaf = (index) => index < 4
    const report = await verifyStorage(service.client, root.cid.toString())
    expect(report).toMatchObject({ isProven: false, pieces: [{ inclusion: { outcome: 'failed' } }] })
  })

  test('keeps everything in the aggregate but the piece', async () => {
    const { aggregate } = await open(root.cid, [leaf, second, root], 4_000_000)
    const piece = parsePieceCid(service.proofs.pieces[0]?.piece ?? '')
    const start = (aggregate?.inclusion.subtree.index ?? 0) * 2 ** piece.height
    service.hasLeaf = (index) => index < start || index >= start + 2 ** piece.height
    expect((await verifyStorage(service.client, root.cid.toString())).isProven).toBe(false)
  })

  test('keeps everything in the piece but the root block', async () => {
    const filler = await createBlock(new Uint8Array(1_500_000).fill(7))
    const { aggregate, block, piece } = await open(root.cid, [filler, root])
    const start = (aggregate?.inclusion.subtree.index ?? 0) * 2 ** parsePieceCid(piece).height
    const first = start + Math.floor((block?.offset ?? 0) / 127) * 4
    service.hasLeaf = (index) => index < first || index > first + 8
    expect((await verifyStorage(service.client, root.cid.toString())).isProven).toBe(false)
  })

  test('stores a node under a codec without links', async () => {
    const disguised = { cid: CID.createV1(jsonCode, root.cid.multihash), bytes: root.bytes }
    await open(root.cid, [disguised])
    const report = await verifyStorage(service.client, root.cid.toString(), { full: true })
    expect(report.content).toMatchObject({ outcome: 'failed', code: 'INCOMPLETE_DAG' })
    expect(report.isProven).toBe(false)
  })

  test('omits what a node within a CID links to', async () => {
    const inline = CID.createV1(pbCode, identity.digest(nodeBytes([leaf.cid])))
    const top = await createBlock(nodeBytes([inline]), pbCode)
    await open(top.cid, [top])
    const report = await verifyStorage(service.client, top.cid.toString(), { full: true })
    expect(report.content).toMatchObject({ outcome: 'failed', code: 'INCOMPLETE_DAG' })
  })

  test('omits what a node links to that is also linked to as bytes', async () => {
    const inner = await createBlock(nodeBytes([leaf.cid]), pbCode)
    const asBytes = CID.createV1(0x55, inner.cid.multihash)
    const top = await createBlock(nodeBytes([inner.cid, asBytes]), pbCode)
    await open(top.cid, [inner, top])
    const report = await verifyStorage(service.client, top.cid.toString(), { full: true })
    expect(report.content).toMatchObject({ outcome: 'failed', code: 'INCOMPLETE_DAG' })
  })

  test.each<[string, (piece: PieceProof) => void]>([
    [
      'gives the bytes itself, in a URL',
      ({ aggregate }) => {
        for (const deal of aggregate?.deals ?? []) deal.retrievalUrl = 'data:application/octet-stream,abc'
      },
    ],
    [
      'lets others than the provider give them',
      ({ aggregate }) => {
        for (const deal of aggregate?.deals ?? []) deal.retrievalUrl = `http://127.0.0.1:1/pieces/${aggregate?.piece}`
      },
    ],
    [
      'says that the piece is larger',
      (piece) => {
        piece.payloadBytes += 1
      },
    ],
    [
      'says that it is endless',
      (piece) => {
        piece.payloadBytes = Number.MAX_SAFE_INTEGER
      },
    ],
  ])('%s', async (_, change) => {
    const piece = await open(root.cid, [leaf, second, root])
    change(piece)
    const report = await verifyStorage(service.client, root.cid.toString(), { full: true })
    expect(report.content).toMatchObject({ outcome: 'failed', code: 'PROOF_INVALID' })
  })

  test.each<[string, (piece: PieceProof) => void]>([
    [
      'numbers that are none',
      (piece) => {
        piece.createdAt = 1e300
      },
    ],
    [
      'thousands of deals',
      ({ aggregate }) => {
        const [deal] = aggregate?.deals ?? []
        if (deal !== undefined) aggregate?.deals.push(...Array.from({ length: 5000 }, () => deal))
      },
    ],
  ])('answers with %s, before it asks a provider', async (_, change) => {
    change(await open(root.cid, [leaf, second, root]))
    await expect(verifyStorage(service.client, root.cid.toString())).rejects.toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
    })
    expect(service.challenges).toEqual([])
  })

  test('answers with thousands of pieces, before it asks a provider', async () => {
    const piece = await open(root.cid, [leaf, second, root])
    service.proofs.pieces.push(...Array.from({ length: 5000 }, () => piece))
    await expect(verifyStorage(service.client, root.cid.toString())).rejects.toMatchObject({
      code: 'UNEXPECTED_RESPONSE',
    })
    expect(service.challenges).toEqual([])
  })
})

test('reads pieces page by page, and rejects endless pages', async () => {
  const piece = await open(root.cid, [leaf, second, root])
  const other = structuredClone(piece)
  other.block = null
  service.answer = (from) => ({ ...service.proofs, furtherPieces: 2 - from, pieces: from === 0 ? [piece] : [other] })
  const report = await verifyStorage(service.client, root.cid.toString())
  expect(report).toMatchObject({ isProven: true, furtherPieces: 0 })
  expect(report.pieces).toHaveLength(3)
  service.answer = () => ({ ...service.proofs, furtherPieces: 1 })
  await expect(verifyStorage(service.client, root.cid.toString())).rejects.toMatchObject({
    code: 'UNEXPECTED_RESPONSE',
  })
})

describe('does not suspect an honest service because', () => {
  test('a pack that the content shares contains unreadable content of others', async () => {
    const broken = { cid: leaf.cid, bytes: bytesOf('not the leaf') }
    const noNode = await createBlock(bytesOf('no node at all'), pbCode)
    await open(root.cid, [broken, noNode, leaf, second, root])
    const report = await verifyStorage(service.client, root.cid.toString(), { full: true })
    expect(report.isProven, JSON.stringify(report)).toBe(true)
  })

  test('one of its nodes was stored before, as plain bytes', async () => {
    await open(root.cid, [leaf, second, { ...root, cid: CID.createV1(0x55, root.cid.multihash) }])
    const report = await verifyStorage(service.client, root.cid.toString(), { full: true })
    expect(report.isProven, JSON.stringify(report)).toBe(true)
  })
})

test('takes a nonce from the block of its source, for this deal and piece', async () => {
  await open(leaf.cid, [leaf])
  const hash = `0x${'ab'.repeat(32)}`
  const salt = 'cd'.repeat(16)
  const nonce = createHash('sha256').update(['cairn/nonce/1', hash, salt, 7, 'piece'].join('\n')).digest('hex')
  const right = { nonce, nonceSource: `block 12 of chain 1, ${hash}, salt ${salt}`, dealId: 7, piece: 'piece' }
  await verifyNonce(right)
  await verifyNonce({ ...right, nonceSource: 'random' })
  for (const wrong of [{ dealId: 8 }, { piece: 'other' }, { nonce: '00'.repeat(32) }, { nonceSource: 'a block' }]) {
    await expect(verifyNonce({ ...right, ...wrong })).rejects.toMatchObject({ code: 'PROOF_INVALID' })
  }
})
