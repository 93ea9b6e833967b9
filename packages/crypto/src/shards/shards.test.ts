import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CairnError, type KeyShard } from '@cairn/protocol'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { thrownCodeOf } from '../../../../tests/code-of.ts'
import { commitShards, fitsCommitment, isWholeSet } from './commit.ts'
import { findKey } from './find-key.ts'
import { order, writeScalar } from './group-order.ts'
import { recoverKey } from './recover.ts'
import { generateKey, splitKey } from './split.ts'

/** Factor for the number of random cases: 20 in the long ring. */
const fuzz = Number(process.env['CAIRN_TEST_FUZZ'] ?? 1)

const vectors = readFileSync(join(import.meta.dirname, 'vectors', 'kavach-key-sets.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [masterKey = '', ...pairs] = line.split(' ')
    return {
      masterKey,
      keyShards: pairs.map((pair) => {
        const [index = '', key = ''] = pair.split(':')
        return { index, key }
      }),
    }
  })

function subsets(shards: readonly KeyShard[], size: number): KeyShard[][] {
  if (size === 0) return [[]]
  return shards.flatMap((shard, i) => subsets(shards.slice(i + 1), size - 1).map((rest) => [shard, ...rest]))
}

const answersOf = (shards: readonly KeyShard[], set?: ReturnType<typeof commitShards>) =>
  shards.map((shard, i) => ({ node: i + 1, shard, ...(set === undefined ? {} : { set }) }))

const flip = (shard: KeyShard): KeyShard => ({
  ...shard,
  key: (shard.key.startsWith('0') ? '1' : '0') + shard.key.slice(1),
})

describe('shards', () => {
  test('any three of five shards of the published client recover its key', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(40)
    for (const { masterKey, keyShards } of vectors) {
      const all = subsets(keyShards, 3)
      expect(all).toHaveLength(10)
      for (const three of all) expect(recoverKey(three)).toBe(masterKey)
      expect(recoverKey(keyShards)).toBe(masterKey)
    }
  })

  test('any three of five recover a generated and a given key, in any order; no two do', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: order - 1n }), (value) => {
        const masterKey = writeScalar(value)
        const shards = splitKey(masterKey)
        for (const three of subsets(shards, 3)) expect(recoverKey(three.reverse())).toBe(masterKey)
        for (const two of subsets(shards, 2)) {
          expect(thrownCodeOf(() => recoverKey(two))).toBe('KEY_NOT_RECOVERED')
          // Not even if asked for: the polynomial has a degree of two.
          expect(recoverKey(two, 2)).not.toBe(masterKey)
        }
      }),
      { numRuns: 20 },
    )
    const { masterKey, keyShards } = generateKey()
    expect(masterKey).toMatch(/^[0-9a-f]{64}$/)
    expect(recoverKey(keyShards.slice(2))).toBe(masterKey)
  })

  test('supports other thresholds', () => {
    for (const [threshold, count] of [
      [2, 2],
      [2, 5],
      [5, 5],
      [4, 9],
    ] as const) {
      const { masterKey, keyShards } = generateKey(threshold, count)
      expect(keyShards).toHaveLength(count)
      expect(recoverKey(keyShards.slice(count - threshold), threshold)).toBe(masterKey)
      expect(thrownCodeOf(() => recoverKey(keyShards.slice(0, threshold - 1), threshold))).toBe('KEY_NOT_RECOVERED')
    }
  })

  test.each([
    [3, 2],
    [1, 5],
    [0, 5],
    [-1, 5],
    [2.5, 5],
    [3, Number.NaN],
    [6, 5],
    [3, 100_000],
  ])('rejects a threshold of %s of %s', (threshold, count) => {
    expect(thrownCodeOf(() => generateKey(threshold, count))).toBe('INVALID_THRESHOLD')
  })

  test('rejects a threshold above the count in the words of the specification', () => {
    expect(() => generateKey(6, 5)).toThrow('keyCount must be greater then threshold')
  })

  test.each([
    ['zero', '0'.repeat(64)],
    ['the order', writeScalar(order)],
    ['above the order', 'f'.repeat(64)],
    ['0x before it', `0x${'1'.repeat(64)}`],
    ['62 digits', '1'.repeat(62)],
    ['66 digits', '1'.repeat(66)],
    ['no hex', 'z'.repeat(64)],
    ['blanks', ` ${'1'.repeat(63)}`],
    ['nothing', ''],
  ])('rejects a key of %s', (_name, key) => {
    expect(thrownCodeOf(() => splitKey(key))).toBe('KEY_NOT_SHARDABLE')
  })

  test('splits the largest key, a small one and one in upper case; the result is padded and in lower case', () => {
    for (const key of [writeScalar(order - 1n), writeScalar(1n), 'A'.repeat(64).replace('A', '0')]) {
      expect(recoverKey(splitKey(key).slice(1, 4))).toBe(key.toLowerCase())
    }
  })

  test('rejects invalid shards, each with its reason', () => {
    const shards = generateKey().keyShards
    const [first, second, third] = shards as [KeyShard, KeyShard, KeyShard]
    expect(thrownCodeOf(() => recoverKey([]))).toBe('KEY_NOT_RECOVERED')
    expect(thrownCodeOf(() => recoverKey([first]))).toBe('KEY_NOT_RECOVERED')
    expect(thrownCodeOf(() => recoverKey([first, second, first]))).toBe('KEY_NOT_RECOVERED')
    expect(thrownCodeOf(() => recoverKey([first, second, { ...third, index: first.index }]))).toBe('KEY_NOT_RECOVERED')
    for (const index of ['0'.repeat(64), 'zz', `0x${'1'.repeat(64)}`, writeScalar(order), '1'.repeat(66)]) {
      expect(
        thrownCodeOf(() => recoverKey([first, second, { ...third, index }])),
        index,
      ).toBe('INVALID_SHARD')
    }
    for (const key of ['z'.repeat(64), '', writeScalar(order)]) {
      expect(
        thrownCodeOf(() => recoverKey([first, second, { ...third, key }])),
        key,
      ).toBe('INVALID_SHARD')
    }
    // Shards of the line through zero: no key is zero.
    const line = [1n, 2n, 3n].map((at) => ({ key: writeScalar(at), index: writeScalar(at) }))
    expect(thrownCodeOf(() => recoverKey(line))).toBe('KEY_NOT_RECOVERED')
    expect(() => recoverKey([first, second, { ...third, key: 'z' }])).toThrow(
      'keyShards must be an array of objects containing these keys [index, key]',
    )
    const upper = shards.map(({ key, index }) => ({ key: key.toUpperCase(), index: index.toUpperCase() }))
    expect(recoverKey(upper)).toBe(recoverKey(shards))
    expect(thrownCodeOf(() => recoverKey([...shards.slice(0, 4), flip(shards[4] as KeyShard)]))).toBe(
      'KEY_NOT_RECOVERED',
    )
  })

  test('returns a key or an error of ours for any input', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-fA-F]{60,68}$/))
    fc.assert(
      fc.property(fc.array(fc.record({ key: text, index: text }), { maxLength: 6 }), (shards) => {
        try {
          expect(recoverKey(shards)).toMatch(/^[0-9a-f]{64}$/)
        } catch (error) {
          expect(['INVALID_SHARD', 'KEY_NOT_RECOVERED']).toContain(CairnError.is(error) ? error.code : error)
        }
      }),
      { numRuns: 1000 * fuzz },
    )
  })
})

describe('commitments', () => {
  const { masterKey, keyShards } = generateKey()
  const set = commitShards(keyShards)

  test('each shard matches its own node only, and no changed shard does', () => {
    expect(isWholeSet(set)).toBe(true)
    for (const [i, shard] of keyShards.entries()) {
      for (let node = 0; node <= 6; node++) expect(fitsCommitment(set, node, shard)).toBe(node === i + 1)
      expect(fitsCommitment(set, i + 1, flip(shard))).toBe(false)
      expect(fitsCommitment(set, i + 1, { key: shard.key, index: 'x' })).toBe(false)
      expect(fitsCommitment(set, i + 1, { key: shard.key.toUpperCase(), index: shard.index })).toBe(true)
    }
    expect(isWholeSet({ ...set, commitments: [...set.commitments].reverse() })).toBe(false)
    expect(isWholeSet({ ...set, threshold: 2 })).toBe(false)
    expect(thrownCodeOf(() => commitShards(keyShards.slice(1)))).toBe('INVALID_KEY_SHARDS')
  })

  test('finds the key and the liars if any two nodes lie, are silent or send a foreign shard', async () => {
    const foreign = generateKey().keyShards
    for (let one = 0; one < 5; one++) {
      for (let other = one + 1; other < 5; other++) {
        const lies = keyShards.map((shard, i) =>
          i === one ? flip(shard) : i === other ? (foreign[i] as KeyShard) : shard,
        )
        expect(await findKey(answersOf(lies, set))).toEqual({ masterKey, wrongNodes: [one + 1, other + 1] })
        const silent = answersOf(keyShards, set).filter((_answer, i) => i !== one && i !== other)
        expect(await findKey(silent)).toEqual({ masterKey, wrongNodes: [] })
      }
    }
  })

  test.each([2, 4, 5])('finds the key of a set with a threshold of %d', async (threshold) => {
    const own = generateKey(threshold)
    const ownSet = commitShards(own.keyShards, threshold)
    const answers = answersOf(own.keyShards, ownSet)
    expect(await findKey(answers)).toEqual({ masterKey: own.masterKey, wrongNodes: [] })
    const few = answers.slice(0, threshold - 1)
    await expect(findKey(few, { trustedSet: ownSet })).rejects.toMatchObject({ code: 'NOT_ENOUGH_SHARDS' })
  })

  test('two liars cannot introduce their own commitments', async () => {
    const theirs = generateKey()
    const theirSet = commitShards(theirs.keyShards)
    const answers = answersOf(keyShards, set).map((answer, i) =>
      i < 2 ? { ...answer, shard: theirs.keyShards[i] as KeyShard, set: theirSet } : answer,
    )
    expect(await findKey(answers)).toEqual({ masterKey, wrongNodes: [1, 2] })
    await expect(findKey(answers.slice(0, 4))).rejects.toMatchObject({ code: 'SHARDS_INCONSISTENT' })
  })

  test('ignore a set whose name does not match its list', async () => {
    const forged = { ...set, commitments: commitShards(generateKey().keyShards).commitments }
    expect((await findKey(answersOf(keyShards, forged))).masterKey).toBe(masterKey)
  })

  test('reject an index that the owner committed to twice', async () => {
    const [first, ...others] = keyShards
    const twice = others.map((shard, at) => (at === 0 && first !== undefined ? first : shard))
    const shards = first === undefined ? [] : [first, ...twice]
    await expect(findKey(answersOf(shards, commitShards(shards)))).rejects.toMatchObject({ code: 'KEY_NOT_RECOVERED' })
  })

  test('rejects fewer than three correct shards and lists the wrong ones', async () => {
    const lies = keyShards.map((shard, i) => (i < 3 ? flip(shard) : shard))
    await expect(findKey(answersOf(lies, set))).rejects.toMatchObject({
      code: 'NOT_ENOUGH_SHARDS',
      details: { wrongNodes: [1, 2, 3], right: 2 },
    })
    await expect(findKey([])).rejects.toMatchObject({ code: 'NOT_ENOUGH_SHARDS' })
  })
})

describe('shards without commitments', () => {
  const { masterKey, keyShards } = generateKey()
  const confirm = (key: string) => key === masterKey

  test('accepts five that agree; does not trust fewer without confirmation', async () => {
    expect(await findKey(answersOf(keyShards))).toEqual({ masterKey, wrongNodes: [] })
    await expect(findKey(answersOf(keyShards.slice(0, 4)))).rejects.toMatchObject({ code: 'SHARDS_INCONSISTENT' })
    await expect(findKey(answersOf(keyShards.slice(0, 3)))).rejects.toMatchObject({ code: 'SHARDS_INCONSISTENT' })
    expect(await findKey(answersOf(keyShards.slice(0, 3)), { confirm })).toEqual({ masterKey, wrongNodes: [] })
  })

  test('finds and lists two wrong shards once confirmed', async () => {
    const lies = keyShards.map((shard, i) => (i === 0 || i === 3 ? flip(shard) : shard))
    expect(await findKey(answersOf(lies), { confirm })).toEqual({ masterKey, wrongNodes: [1, 4] })
    await expect(findKey(answersOf(lies))).rejects.toMatchObject({ code: 'SHARDS_INCONSISTENT' })
    const rubbish = answersOf(keyShards).map((answer, i) =>
      i === 2 ? { ...answer, shard: { key: '1', index: '1' } } : answer,
    )
    expect(await findKey(rubbish, { confirm })).toEqual({ masterKey, wrongNodes: [3] })
  })

  test('finds the key although two nodes return the shard of another one', async () => {
    const [first] = keyShards
    const copies = keyShards.map((shard, i) => (i > 2 && first !== undefined ? first : shard))
    expect(await findKey(answersOf(copies), { confirm })).toEqual({ masterKey, wrongNodes: [4, 5] })
  })
})
