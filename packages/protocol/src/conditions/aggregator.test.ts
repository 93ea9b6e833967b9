import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CairnError } from '../errors/error.ts'
import { type Expression, evaluateExpression, parseAggregator, type Truth } from './aggregator.ts'

/** Factor for the number of random cases: 20 in the long ring. */
const fuzz = Number(process.env['CAIRN_TEST_FUZZ'] ?? 1)

function truth(text: string, values: Record<number, Truth>): Truth {
  const ids = Object.keys(values).map(Number)
  return evaluateExpression(parseAggregator(text, ids), (id) => values[id] ?? 'unknown')
}

const yes = 'true'
const no = 'false'

describe('meaning of aggregators', () => {
  test.each<[string, Record<number, Truth>, Truth]>([
    ['', { 7: yes }, yes],
    ['[1]', { 1: yes }, yes],
    ['([1])', { 1: no }, no],
    ['![1]', { 1: no }, yes],
    ['![1]', { 1: 'unknown' }, 'unknown'],
    ['[1] and [2]', { 1: yes, 2: no }, no],
    ['[1] OR [2]', { 1: yes, 2: no }, yes],
    // and binds tighter
    ['[1] or [2] and [3]', { 1: yes, 2: no, 3: no }, yes],
    ['([1] or [2]) and [3]', { 1: yes, 2: no, 3: no }, no],
    ['([2] and [1]) or [3]', { 1: yes, 2: yes, 3: no }, yes],
    ['!([1] and [2])', { 1: yes, 2: yes }, no],
    ['![1] and [2]', { 1: no, 2: yes }, yes],
    ['!![1] And [2]', { 1: yes, 2: yes }, yes],
    // unknown is decided by the others or not at all
    ['[1] or [2]', { 1: 'unknown', 2: yes }, yes],
    ['[1] or [2]', { 1: 'unknown', 2: no }, 'unknown'],
    ['[1] and [2]', { 1: 'unknown', 2: no }, no],
    ['[1] and [2]', { 1: 'unknown', 2: yes }, 'unknown'],
    ['[1.5] and [ 2 ]', { 1.5: yes, 2: yes }, yes],
    ['[1] and [1] and [2]', { 1: yes, 2: yes }, yes],
  ])('%s with %o is %s', (text, values, expected) => {
    expect(truth(text, values)).toBe(expected)
  })
})

describe('rejected aggregators', () => {
  test.each([
    ['', [1, 2], 'is required'],
    ['[1]', [1, 2], 'must use every condition. Missing: [2]'],
    ['[1] and [3]', [1, 2], 'contains the id 3'],
    ['1 or 2', [1, 2], 'character 1'],
    ['[1] and', [1, 2], 'is incomplete'],
    ['[1] [2]', [1, 2], 'character 4'],
    ['([1] and [2]', [1, 2], 'not closed'],
    ['[1] and [2])', [1, 2], 'character 12'],
    ['[1] and and [2]', [1, 2], 'where a condition is expected'],
    ['[1] xor [2]', [1, 2], 'character 4'],
    ['[1] android [2]', [1, 2], 'character 4'],
    ['[1] && [2]', [1, 2], 'character 4'],
    ['[1] and [2]; process.exit()', [1, 2], 'character 12'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: code-like input is the point
    ['[1] and ${[2]}', [1, 2], 'character 8'],
    ['[constructor] and [2]', [1, 2], 'character 1'],
    ['()', [1], 'where a condition is expected'],
    [`${'('.repeat(9)}[1]${')'.repeat(9)}`, [1], 'deeper than 8'],
    [`${'!'.repeat(9)}[1]`, [1], 'deeper than 8'],
    [`[1]${' '.repeat(600)}`, [1], 'at most 512'],
    [`[1] and [${'2'.repeat(17)}]`, [1, 2], 'character 8'],
  ])('%s', (text, ids, reason) => {
    const error = thrown(() => parseAggregator(text, ids))
    expect(CairnError.is(error, 'INVALID_CONDITION')).toBe(true)
    expect(String(error)).toContain('Condition validation error: "aggregator" ')
    expect(String(error)).toContain(reason)
  })

  test('accepts eight levels', () => {
    expect(truth(`${'('.repeat(8)}[1]${')'.repeat(8)}`, { 1: yes })).toBe(yes)
  })
})

function thrown(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

/** A tree, its text with random case and blanks, and its value from a separate truth table. */
type Sample = { text: string; ids: number[]; table: (values: readonly boolean[]) => boolean }

const ids = [1, 2, 3, 4]
const blank = fc.constantFrom('', ' ', '  ', '\t', '\n')
const word = (name: string) =>
  fc.tuple(fc.constantFrom(name, name.toUpperCase(), `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`), blank, blank)

/** Built by precedence levels, so that parentheses appear only if the grammar requires them, or by chance. */
const { or: sample } = fc.letrec<{ or: Sample; and: Sample; unary: Sample; leaf: Sample; group: Sample; not: Sample }>(
  (tie) => ({
    leaf: fc.tuple(fc.constantFrom(...ids), blank).map(([id, space]) => ({
      text: `[${space}${id}${space}]`,
      ids: [id],
      table: (values) => values[id - 1] === true,
    })),
    group: fc.tuple(tie('or'), blank).map(([inner, space]) => ({ ...inner, text: `(${space}${inner.text}${space})` })),
    not: tie('unary').map((inner) => ({
      text: `!${inner.text}`,
      ids: inner.ids,
      table: (values) => !inner.table(values),
    })),
    unary: fc.oneof({ maxDepth: 3, depthSize: 'small' }, tie('leaf'), tie('group'), tie('not')),
    and: joined('and', tie('unary')),
    or: joined('or', tie('and')),
  }),
)

function joined(name: 'and' | 'or', part: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> {
  return fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), word(name))
    .map(([parts, [spelled, before, after]]) => ({
      text: parts.map(({ text }) => text).join(` ${before}${spelled}${after} `),
      ids: [...new Set(parts.flatMap((each) => each.ids))],
      table: (values) =>
        name === 'and' ? parts.every((each) => each.table(values)) : parts.some((each) => each.table(values)),
    }))
}

describe('properties', () => {
  test('agrees with the truth table in any nesting, case and spacing', { timeout: 600_000 }, () => {
    fc.assert(
      fc.property(sample, fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }), ({ text, ids, table }, values) => {
        fc.pre(text.length <= 512 && depthOf(text) <= 8)
        const expression = parseAggregator(text, ids)
        const truthOf = (id: number) => (values[id - 1] === true ? 'true' : 'false')
        return evaluateExpression(expression, truthOf) === String(table(values))
      }),
      { numRuns: 10_000 * fuzz },
    )
  })

  test('returns unknown unless all outcomes agree', () => {
    const truths = fc.array(fc.constantFrom<Truth>('true', 'false', 'unknown'), { minLength: 4, maxLength: 4 })
    fc.assert(
      fc.property(sample, truths, ({ text, ids }, values) => {
        fc.pre(text.length <= 512 && depthOf(text) <= 8)
        const expression = parseAggregator(text, ids)
        const known = evaluateExpression(expression, (id) => values[id - 1] ?? 'unknown')
        return known === 'unknown' || outcomes(expression, values).every((outcome) => outcome === known)
      }),
      { numRuns: 2_000 * fuzz },
    )
  })

  test('reads any text or rejects it with its code', () => {
    const soup = fc.string({
      unit: fc.constantFrom('[', ']', '(', ')', '!', '1', '2', ' ', 'and', 'or', 'not', '.', '\u0000', 'é', '\\'),
      maxLength: 60,
    })
    fc.assert(
      fc.property(fc.oneof(soup, fc.string()), (text) => {
        try {
          parseAggregator(text, [1, 2])
        } catch (error) {
          if (!CairnError.is(error, 'INVALID_CONDITION')) throw error
        }
      }),
      { numRuns: 5_000 * fuzz },
    )
  })
})

/** Nesting depth of parentheses and negations, counted from the text. */
function depthOf(text: string): number {
  let depth = 0
  let maxDepth = 0
  let negations = 0
  const open: number[] = []
  for (const sign of text) {
    if (sign === '!') negations++
    else if (sign === '(') {
      open.push(depth)
      depth += negations + 1
      negations = 0
    } else if (sign === '[') {
      maxDepth = Math.max(maxDepth, depth + negations)
      negations = 0
    } else if (sign === ')') depth = open.pop() ?? 0
  }
  return maxDepth
}

/** All possible results of the expression, with every unknown set to true and to false. */
function outcomes(expression: Expression, values: readonly Truth[]): Truth[] {
  const at = values.indexOf('unknown')
  if (at === -1) return [evaluateExpression(expression, (id) => values[id - 1] ?? 'unknown')]
  return [yes, no].flatMap((each) => outcomes(expression, values.with(at, each as Truth)))
}
