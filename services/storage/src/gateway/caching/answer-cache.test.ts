import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import { createAnswerCache } from './answer-cache.ts'
import { createNodeCache } from './node-cache.ts'

const cid = CID.parse('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy')
const day = 86_400_000

test('answers and nodes are cached for a second, also if the clock was ahead and is set back', () => {
  let now = day
  const answers = createAnswerCache(() => now)
  const nodes = createNodeCache(() => now)
  const keep = () => {
    answers.keep('a', { status: 200, headers: {}, body: Buffer.from('a') })
    nodes.set(cid, { kind: 'other', links: [{ name: '', cid, sizeBytes: 1 }] })
  }
  const isKept = () => [answers.get('a') !== undefined, nodes.get(cid) !== undefined]
  keep()
  now += 999
  expect(isKept()).toEqual([true, true])
  now += 1
  expect(isKept()).toEqual([false, false])
  keep()
  now = 0
  expect(isKept()).toEqual([false, false])
})
