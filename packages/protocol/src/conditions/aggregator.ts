import { fieldRule } from '../reasons/field-rules.ts'
import type { Reason } from '../reasons/reason.ts'
import { invalidCondition } from './invalid-condition.ts'
import { conditionRule } from './rules.ts'

/** Maximum length of an aggregator in characters, and maximum nesting depth of its parentheses and negations. */
export const maxAggregatorCharacters = 512
export const maxAggregatorDepth = 8

/** State of a condition. A chain that does not answer makes it unknown, which is neither true nor false. */
export type Truth = 'true' | 'false' | 'unknown'

/** Combination of conditions: a tree over their ids. */
export type Expression =
  | { kind: 'condition'; id: number }
  | { kind: 'not'; of: Expression }
  | { kind: 'and' | 'or'; of: readonly Expression[] }

type Token = { text: string; at: number; id?: number }

const tokenPattern = /\s*(?:(\(|\)|!)|\[\s*(\d{1,16}(?:\.\d{1,16})?)\s*\]|(and|or)(?![A-Za-z0-9_]))/iy

function refuse(rule: Reason): never {
  throw invalidCondition(`"aggregator" ${rule.reason}`, rule, { field: 'aggregator' })
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  const pattern = new RegExp(tokenPattern)
  while (pattern.lastIndex < text.trimEnd().length) {
    const at = pattern.lastIndex
    const match = pattern.exec(text)
    if (match === null) return refuse(conditionRule('AGGREGATOR_UNREADABLE', { position: at + 1 }))
    const [, mark, id, word] = match
    tokens.push(
      id === undefined ? { text: (mark ?? word ?? '').toLowerCase(), at } : { text: '[]', at, id: Number(id) },
    )
  }
  return tokens
}

/**
 * Parses an aggregator such as `([1] and [2]) or ![3]`: ids in square brackets, `and`, `or` (any case; `and` binds
 * tighter), `!` before its operand, parentheses. Every id must be one of `ids` and each of them must occur. An empty
 * text is valid for a single condition.
 * @throws INVALID_CONDITION for anything else, longer than 512 characters or nested deeper than 8
 */
export function parseAggregator(text: string, ids: readonly number[]): Expression {
  if (text.length > maxAggregatorCharacters) return refuse(fieldRule('TOO_LONG', { limit: maxAggregatorCharacters }))
  const [only] = ids
  if (text.trim() === '') {
    return ids.length === 1 && only !== undefined
      ? { kind: 'condition', id: only }
      : refuse(fieldRule('FIELD_REQUIRED'))
  }
  const tokens = tokenize(text)
  const used = new Set<number>()
  let next = 0

  const parseList = (kind: 'and' | 'or', parsePart: (depth: number) => Expression, depth: number): Expression => {
    const first = parsePart(depth)
    const parts = [first]
    while (tokens[next]?.text === kind) {
      next++
      parts.push(parsePart(depth))
    }
    return parts.length === 1 ? first : { kind, of: parts }
  }
  const parseOr = (depth: number): Expression => parseList('or', parseAnd, depth)
  const parseAnd = (depth: number): Expression => parseList('and', parseUnary, depth)
  const parseUnary = (depth: number): Expression => {
    const token = tokens[next++]
    if (token === undefined) return refuse(conditionRule('AGGREGATOR_INCOMPLETE'))
    if (depth > maxAggregatorDepth) return refuse(conditionRule('AGGREGATOR_TOO_DEEP', { limit: maxAggregatorDepth }))
    if (token.text === '!') return { kind: 'not', of: parseUnary(depth + 1) }
    if (token.text === '(') {
      const inner = parseOr(depth + 1)
      if (tokens[next++]?.text !== ')') return refuse(conditionRule('AGGREGATOR_OPEN'))
      return inner
    }
    if (token.id === undefined) return refuse(conditionRule('AGGREGATOR_UNEXPECTED', { text: token.text }))
    if (!ids.includes(token.id)) return refuse(conditionRule('AGGREGATOR_UNKNOWN_ID', { id: token.id }))
    used.add(token.id)
    return { kind: 'condition', id: token.id }
  }

  const expression = parseOr(0)
  const left = tokens[next]
  if (left !== undefined) return refuse(conditionRule('AGGREGATOR_UNREADABLE', { position: left.at + 1 }))
  const unused = ids.filter((id) => !used.has(id))
  if (unused.length > 0)
    return refuse(conditionRule('AGGREGATOR_UNUSED_IDS', { ids: unused.map((id) => `[${id}]`).join(', ') }))
  return expression
}

const denied = { true: 'false', false: 'true', unknown: 'unknown' } as const

/**
 * Evaluates an expression in the three-valued logic of Kleene: unknown stays unknown unless the other operands decide.
 * @see https://plato.stanford.edu/entries/logic-manyvalued/
 */
export function evaluateExpression(expression: Expression, truthOf: (id: number) => Truth): Truth {
  if (expression.kind === 'condition') return truthOf(expression.id)
  if (expression.kind === 'not') return denied[evaluateExpression(expression.of, truthOf)]
  const deciding = expression.kind === 'and' ? 'false' : 'true'
  const values = expression.of.map((part) => evaluateExpression(part, truthOf))
  if (values.includes(deciding)) return deciding
  return values.includes('unknown') ? 'unknown' : denied[deciding]
}
