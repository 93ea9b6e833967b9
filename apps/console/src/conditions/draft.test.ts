import { expect, test } from 'vitest'
import * as german from '../messages/de/de.ts'
import { keepTexts } from '../messages/keep-texts.fixture.ts'
import { translate } from '../messages/translatable.ts'
import { writeField } from './condition-parts.ts'
import {
  aggregatorOf,
  checkDraft,
  type Draft,
  fromJson,
  fromSaved,
  nextId,
  readGrouping,
  toAggregator,
  toInput,
} from './draft.ts'
import { createCondition, findTemplate, templateNames, templates } from './templates.ts'

const contract = `0x${'ab'.repeat(20)}`
const block = (id: number) => createCondition('block', id, 'local')
const draft = (count: number, more: Partial<Draft> = {}): Draft => ({
  chainType: 'EVM',
  conditions: Array.from({ length: count }, (_one, i) => block(i + 1)),
  mode: 'all',
  grouping: '',
  ...more,
})

test('assigns ids and joins them as all, any or grouped', () => {
  expect(nextId(draft(2))).toBe(3)
  expect(aggregatorOf(draft(1))).toBe('')
  expect(aggregatorOf(draft(3))).toBe('[1] and [2] and [3]')
  expect(aggregatorOf(draft(2, { mode: 'any' }))).toBe('[1] or [2]')
  expect(aggregatorOf(draft(3, { mode: 'own', grouping: '(1 and 2) or [3]' }))).toBe('([1] and [2]) or [3]')
  expect(toAggregator('!1 and ( 2 or 10 )')).toBe('![1] and ( [2] or [10] )')
})

test('describes a valid grouping, and states the error in an invalid one', () => {
  const good = draft(3, { mode: 'own', grouping: '(1 and 2) or 3' })
  expect(checkDraft(good)).toEqual({ fields: {}, other: undefined })
  expect(readGrouping(good)).toMatchObject({ kind: 'or' })
  const unknown = draft(2, { mode: 'own', grouping: '1 and 7' })
  expect(readGrouping(unknown)).toBeUndefined()
  expect(checkDraft(unknown).other).toContain('Contains the id 7')
  expect(checkDraft(draft(3, { mode: 'own', grouping: '1 and 2' })).other).toContain('[3]')
})

test('lists errors by field, in the wording of the protocol', () => {
  const one = createCondition('erc20', 1, 'local')
  expect(checkDraft(draft(0, { conditions: [one] })).fields).toEqual({
    'conditions.0.contractAddress': 'Must be 0x and 40 hex characters.',
  })
})

test('finds a typo in the address of a contract by its checksum', () => {
  const typed = {
    ...createCondition('erc20', 1, 'local'),
    contractAddress: '0x5aAfb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  }
  expect(checkDraft(draft(0, { conditions: [typed] })).fields['conditions.0.contractAddress']).toContain('has a typo')
  const right = { ...typed, contractAddress: typed.contractAddress.toLowerCase() }
  expect(checkDraft(draft(0, { conditions: [right] })).fields).toEqual({})
})

test('reports errors in the language of the page', () => {
  keepTexts()
  translate(german)
  const chains = { EVM: 'local', SOLANA: 'DEVNET', COREUM: 'Coreum_Devnet' } as const
  const found = templateNames.flatMap((name) => {
    const { chainType } = templates[name]
    return Object.values(
      checkDraft(draft(0, { chainType, conditions: [createCondition(name, 1, chains[chainType])] })).fields,
    )
  })
  expect(found).toContain('Eine Adresse aus 0x und 40 Hex-Zeichen eingeben.')
  expect(found.filter((text) => /\b(?:must|is|required)\b/i.test(text))).toEqual([])
  const { other } = checkDraft(draft(2, { mode: 'own', grouping: '1 and 7' }))
  expect(other).toBe('Eine Bedingung mit der Nummer 7 gibt es nicht.')
  expect(checkDraft(draft(2, { mode: 'own', grouping: '1 and 2 or' })).other).toBe('Am Ende fehlt etwas.')
  expect(() => fromJson('{')).toThrow('Das ist kein gültiges JSON')
})

test('rejects a figure that is not a number', () => {
  const typed = writeField(block(1), ['returnValueTest', 'value'], '1.')
  expect(checkDraft(draft(0, { conditions: [typed] })).fields).toEqual({
    'conditions.0.returnValueTest.value': 'Must be a whole number of at least 0.',
  })
})

test('explains how to write an amount that has the wrong decimal sign', () => {
  const typed = writeField(createCondition('balance', 1, 'local'), ['returnValueTest', 'value'], '0,1234')
  expect(checkDraft(draft(0, { conditions: [typed] })).fields).toEqual({
    'conditions.0.returnValueTest.value': 'Must be a number of at least 0, such as 1.5. Smallest units are whole.',
  })
})

test('restores saved conditions unchanged, also from JSON', () => {
  for (const input of [
    draft(1),
    draft(2),
    draft(2, { mode: 'any' }),
    draft(3, { mode: 'own', grouping: '(1 and 2) or 3' }),
  ]) {
    const { conditions, aggregator } = toInput(input)
    const saved = fromSaved({ aggregator, conditions, conditionsSolana: [], conditionsCoreum: [] })
    expect(saved).toMatchObject({ mode: input.mode, conditions: input.conditions })
    expect(toInput(fromJson(JSON.stringify(toInput(input))))).toEqual(toInput(input))
  }
  expect(
    fromSaved({ aggregator: null, conditions: [], conditionsSolana: [{ id: 1 }], conditionsCoreum: [] }).chainType,
  ).toBe('SOLANA')
  expect(() => fromJson('{')).toThrow('not valid JSON')
  expect(() => fromJson('{"conditions":[]}')).toThrow('at least 1')
})

test.each(templateNames)('a new %s fits its own sentence, and is valid once its addresses are filled in', (name) => {
  const { chainType } = templates[name]
  const chain = { EVM: 'local', SOLANA: 'MAINNET', COREUM: 'Coreum_Mainnet' }[chainType]
  const made = createCondition(name, 1, chain)
  expect(findTemplate(chainType, made)).toBe(name)
  const filled = {
    ...made,
    ...('contractAddress' in made
      ? { contractAddress: chainType === 'SOLANA' ? '11111111111111111111111111111112' : contract }
      : {}),
    ...('classid' in made ? { classid: 'puppies-devcore1' } : {}),
  }
  expect(checkDraft({ chainType, conditions: [filled], mode: 'all', grouping: '' })).toEqual({
    fields: {},
    other: undefined,
  })
})
