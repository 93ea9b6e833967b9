import type { StorageProofs } from '@cairn/sdk'
import { expect, test } from 'vitest'
import { readPipeline } from './pipeline.ts'

type Deals = NonNullable<StorageProofs['pieces'][number]['aggregate']>['deals']
type State = Deals[number]['state']

/** Proofs of one piece per list of deals; undefined for a piece without an aggregate. */
function proofsOf(pieces: (State[] | undefined)[], waitingPacks = 0): StorageProofs {
  const merklePath = { index: 0, path: [] }
  return {
    cid: 'bafy',
    challengeMs: 60_000,
    waitingPacks,
    furtherPieces: 0,
    pieces: pieces.map((states) => ({
      piece: 'bafk',
      pieceV1: 'baga',
      payloadBytes: 1,
      paddedBytes: 128,
      createdAt: 0,
      cars: [],
      block: null,
      aggregate:
        states === undefined
          ? null
          : {
              piece: 'bafk',
              pieceV1: 'baga',
              paddedBytes: 128,
              offset: 0,
              copies: 2,
              inclusion: { subtree: merklePath, entry: merklePath },
              deals: states.map((state, id) => ({
                id,
                provider: { name: `p${id}`, kind: 'cairn', key: null, url: null },
                state,
                since: 0,
                keptSince: null,
                provenAt: null,
                proofs: 0,
                faults: 0,
                nextCheckAt: null,
                silentSince: null,
                retrievalUrl: null,
                error: null,
                lastProof: null,
              })),
            },
    })),
  }
}

const states = (proofs: StorageProofs | undefined) =>
  readPipeline(proofs)
    .map(({ state }) => state)
    .join(' ')

test('a stage is done when all of the content has reached it', () => {
  expect(states(undefined)).toBe('done done now waiting waiting')
  expect(states(proofsOf([undefined], 1))).toBe('done done now waiting waiting')
  expect(states(proofsOf([undefined]))).toBe('done done done now waiting')
  expect(states(proofsOf([['queued', 'offered']]))).toBe('done done done now waiting')
  expect(states(proofsOf([['kept'], ['offered']]))).toBe('done done done now waiting')
  expect(states(proofsOf([['kept', 'failed']]))).toBe('done done done done now')
  expect(states(proofsOf([['proving'], ['kept']]))).toBe('done done done done now')
  expect(states(proofsOf([['proving', 'faulted'], ['proving']]))).toBe('done done done done done')
})

test('a stage reports that every provider of a piece failed', () => {
  expect(states(proofsOf([['faulted', 'failed']]))).toBe('done done done fault waiting')
  expect(states(proofsOf([['proving'], ['faulted']]))).toBe('done done done fault waiting')
  expect(states(proofsOf([['proving'], []]))).toBe('done done done now waiting')
})
