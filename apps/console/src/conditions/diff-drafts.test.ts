import { expect, test } from 'vitest'
import { writeField } from './condition-parts.ts'
import { diffDrafts } from './diff-drafts.ts'
import { type Draft, emptyDraft } from './draft.ts'
import { createCondition } from './templates.ts'

const one = createCondition('block', 1, 'local')
const two = createCondition('balance', 2, 'local')
const saved: Draft = { ...emptyDraft, conditions: [one, two] }

test('finds no difference between equal drafts, in any order of fields', () => {
  const turned = Object.fromEntries(Object.entries(two).reverse())
  expect(diffDrafts(saved, { ...saved, conditions: [one, turned] })).toEqual([])
})

test('lists added, removed and changed conditions, and a changed grouping', () => {
  const changed = writeField(one, ['returnValueTest', 'value'], '9')
  const three = createCondition('block', 3, 'local')
  const draft: Draft = { ...saved, conditions: [changed, three], mode: 'any' }
  expect(diffDrafts(saved, draft)).toEqual([
    { kind: 'changed', id: '1', before: one, after: changed },
    { kind: 'removed', id: '2', before: two },
    { kind: 'added', id: '3', after: three },
    { kind: 'joined', before: '[1] and [2]', after: '[1] or [3]' },
  ])
})

test('replaces everything when the family of chains changes', () => {
  const solana: Draft = {
    ...emptyDraft,
    chainType: 'SOLANA',
    conditions: [createCondition('solanaBalance', 1, 'MAINNET')],
  }
  expect(diffDrafts(saved, solana).map(({ kind }) => kind)).toEqual(['removed', 'removed', 'added'])
})
