// From upload to proof on a network of real providers, and what users can verify themselves.
import { createHash, randomBytes } from 'node:crypto'
import { buildAggregate, parsePieceCid } from '@cairn/pieces'
import {
  CairnError,
  type Client,
  challengeProvider,
  createClient,
  getCopies,
  getProofs,
  listChecks,
  type StorageProofs,
  setCopies,
  uploadBytes,
  uploadFolder,
  verifyStorage,
} from '@cairn/sdk'
import { Aggregate as Reference } from '@web3-storage/data-segment'
import { CID } from 'multiformats/cid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestKey, createTestNetwork, type TestNetwork } from '../fixtures.ts'
import { untilProven } from '../until-proven.ts'

const deals = { waitSeconds: 0.2, challengeSeconds: 20, pollMs: 50, pieceBytes: 5 * 1024 * 1024 }
let network: TestNetwork
let client: Client

beforeAll(async () => {
  network = await createTestNetwork({ CAIRN_DEALS: JSON.stringify(deals) }, 'local', 20, 3)
  const { apiKey } = await createTestKey(network)
  client = createClient({ network: network.profile, apiKey })
})
afterAll(() => network?.[Symbol.asyncDispose]())

describe('an upload', () => {
  test('is proven by two providers down to the root block, and every byte by what they return', async () => {
    const content = randomBytes(1_500_000)
    const { cid } = await uploadBytes(client, content, { name: 'film' })
    const proofs = await untilProven(client, cid)
    const report = await verifyStorage(client, cid, { full: true })
    expect(report).toMatchObject({ cid, isProven: true, content: { outcome: 'proven' }, waitingPacks: 0 })
    const [piece] = report.pieces
    expect(piece).toMatchObject({ block: { outcome: 'proven' }, inclusion: { outcome: 'proven' } })
    expect(piece?.providers.map(({ challenged, recorded }) => [challenged.outcome, recorded.outcome])).toEqual([
      ['proven', 'proven'],
      ['proven', 'proven'],
    ])
    // They fetched and keep the content and the index, not the zeros that pad the aggregate.
    for (const { provider } of proofs.pieces[0]?.aggregate?.deals ?? []) {
      const { usedBytes } = await (await fetch(provider.url ?? '')).json()
      expect(usedBytes).toBeGreaterThan(content.length)
      expect(usedBytes).toBeLessThan(content.length + 50_000)
    }
    // Providers are named by the keys that the network states.
    const known = network.providers.map(({ id }) => id)
    for (const { key } of piece?.providers ?? []) expect(known).toContain(key)
    // The local network has a chain, so nonces come from its blocks, and say so.
    const recorded = proofs.pieces[0]?.aggregate?.deals[0]?.lastProof
    const [, hash = '', salt = ''] =
      /^block \d+ of chain 31337, (0x[0-9a-f]{64}), salt ([0-9a-f]{32})$/.exec(recorded?.nonceSource ?? '') ?? []
    const text = ['cairn/nonce/1', hash, salt, recorded?.dealId, proofs.pieces[0]?.aggregate?.piece].join('\n')
    expect(recorded?.nonce).toBe(createHash('sha256').update(text).digest('hex'))
  })

  test('verifies in the reference library, from the responses on the wire', async () => {
    const { cid } = await uploadBytes(client, randomBytes(40_000), { name: 'small' })
    const { pieces } = await untilProven(client, cid)
    const { aggregate, piece = '' } = pieces[0] ?? {}
    if (aggregate == null) throw new Error('there is no aggregate')
    const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'))
    const { subtree, entry } = aggregate.inclusion
    const proof = [
      [BigInt(subtree.index), subtree.path.map(bytes)],
      [BigInt(entry.index), entry.path.map(bytes)],
    ] as never
    const { ok } = Reference.InclusionProof.resolveAggregate(proof, CID.parse(piece) as never)
    expect(String(ok)).toBe(aggregate.piece)
  })

  test('can be a folder of many files, some of which were there before', async () => {
    const twice = randomBytes(600_000)
    await untilProven(client, (await uploadBytes(client, twice, { name: 'before' })).cid)
    const entries = Array.from({ length: 40 }, (_, at) => ({
      path: `folder/${at}.bin`,
      content: at === 7 ? twice : randomBytes(1000 + at * 300),
    }))
    const { cid } = await uploadFolder(
      client,
      entries.map(({ path, content }) => ({ path, content })),
    )
    await untilProven(client, cid)
    const report = await verifyStorage(client, cid, { full: true })
    expect(report.content).toMatchObject({ outcome: 'proven' })
    expect(report.isProven).toBe(true)
    expect(report.pieces.length).toBeGreaterThan(1)
  })

  test('can be larger than a piece', async () => {
    const { cid } = await uploadBytes(client, randomBytes(12_000_000), { name: 'large' })
    await untilProven(client, cid)
    const report = await verifyStorage(client, cid, { full: true })
    expect(report.isProven).toBe(true)
    expect(report.pieces).toHaveLength(3)
  })

  test('has a history of challenges', async () => {
    const { cid } = await uploadBytes(client, randomBytes(500), { name: 'tiny' })
    const { pieces } = await untilProven(client, cid)
    const seen = []
    for await (const check of listChecks(client, pieces[0]?.piece ?? '')) seen.push(check)
    expect(seen.length).toBeGreaterThanOrEqual(2)
    expect(seen.every(({ outcome, nonce }) => outcome === 'proved' && nonce.length === 64)).toBe(true)
    const other = pieces[0]?.piece.replace(/.$/, (last) => (last === 'a' ? 'q' : 'a')) ?? ''
    await expect(listChecks(client, other).next()).rejects.toSatisfy(
      (error) => CairnError.is(error, 'PIECE_NOT_FOUND') || CairnError.is(error, 'INVALID_PIECE_CID'),
    )
  })

  test('is kept by as many providers as the account wants', async () => {
    expect(await getCopies(client)).toEqual({ copies: 2, defaultCopies: 2, maxCopies: 5 })
    const { cid } = await uploadBytes(client, randomBytes(700), { name: 'copies' })
    await untilProven(client, cid)
    expect(await setCopies(client, 3)).toMatchObject({ copies: 3 })
    await untilProven(client, cid, 3)
    await setCopies(client, 2)
  })
})

describe('a service that lies', () => {
  /** A client whose service answers with changed proofs. */
  function lie(change: (proofs: StorageProofs) => void): Client {
    const changed: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init)
      if (!String(input).includes('/api/proofs/')) return answer
      const proofs: StorageProofs = await answer.json()
      change(proofs)
      return Response.json(proofs)
    }
    return createClient({ network: network.profile, fetch: changed })
  }
  let cid: string
  beforeAll(async () => {
    ;({ cid } = await uploadBytes(client, randomBytes(90_000), { name: 'truth' }))
    await untilProven(client, cid)
  })
  const flip = (hex: string | undefined) => `${hex?.[0] === '0' ? '1' : '0'}${hex?.slice(1)}`

  test.each<[string, (proofs: StorageProofs) => void]>([
    [
      'about the block',
      ({ pieces: [piece] }) => {
        if (piece?.block) piece.block.bytes = Buffer.from(randomBytes(300)).toString('base64')
      },
    ],
    [
      'about its place',
      ({ pieces: [piece] }) => {
        if (piece?.block) piece.block.offset += 1
      },
    ],
    [
      'about the way from the block',
      ({ pieces: [piece] }) => {
        if (piece?.block) piece.block.path[0] = flip(piece.block.path[0])
      },
    ],
    [
      'about the aggregate',
      ({ pieces: [piece] }) => {
        const path = piece?.aggregate?.inclusion.subtree.path
        if (path !== undefined) path[0] = flip(path[0])
      },
    ],
    [
      'about the index',
      ({ pieces: [piece] }) => {
        if (piece?.aggregate) piece.aggregate.inclusion.entry.index += 1
      },
    ],
    [
      'by naming another aggregate',
      ({ pieces: [piece] }) => {
        if (piece?.aggregate) {
          const { root, height, payloadBytes } = parsePieceCid(piece.piece)
          const other = buildAggregate([{ root: root.toReversed().map((byte) => byte & 0x3f), height, payloadBytes }])
          piece.aggregate.inclusion.subtree.path = other
            .prove(0)
            .subtree.path.map((node) => Buffer.from(node).toString('hex'))
        }
      },
    ],
    [
      'about who holds it',
      ({ pieces: [piece] }) => {
        for (const deal of piece?.aggregate?.deals ?? [])
          deal.provider.key = 'z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'
      },
    ],
    [
      'by leaving providers out',
      ({ pieces: [piece] }) => {
        if (piece?.aggregate) piece.aggregate.deals = []
      },
    ],
  ])('%s is detected', async (_, change) => {
    const report = await verifyStorage(lie(change), cid)
    expect(report.isProven).toBe(false)
  })

  test('is not suspected when it tells the truth', async () => {
    expect(
      (
        await verifyStorage(
          lie(() => undefined),
          cid,
        )
      ).isProven,
    ).toBe(true)
    expect((await verifyStorage(client, cid, { challenge: false })).isProven).toBe(true)
  })

  test('a provider answers any caller’s nonce, and only with its own key', async () => {
    const { pieces } = await getProofs(client, cid)
    const { aggregate } = pieces[0] ?? {}
    const [deal] = aggregate?.deals ?? []
    const challenge = { piece: aggregate?.piece ?? '', key: deal?.provider.key ?? '', leaves: 64 }
    const answer = await challengeProvider(client, deal?.provider.url ?? '', challenge)
    expect(answer.proof).toHaveLength(64)
    const other = aggregate?.deals[1]?.provider.key ?? null
    await expect(
      challengeProvider(client, deal?.provider.url ?? '', { ...challenge, key: other }),
    ).rejects.toMatchObject({
      code: 'PROOF_INVALID',
    })
  })
})
