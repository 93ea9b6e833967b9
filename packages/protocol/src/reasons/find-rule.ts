import type * as v from 'valibot'
import { isDefaultMessage } from './describe-issue.ts'
import { brokenRuleOf, fieldRule } from './field-rules.ts'
import type { Reason } from './reason.ts'

type Issue = v.BaseIssue<unknown>

/**
 * Returns the rule that a value violates, with its code; undefined if its schema has a text of its own. Its text is that of
 * `describeRule`, which every bundle of a browser has, while the codes load with the first condition.
 */
export function findRule(issue: Issue): Reason | undefined {
  return isDefaultMessage(issue) ? findLibraryRule(issue) : brokenRuleOf(issue)
}

function findLibraryRule(issue: Issue & { requirement?: unknown }): Reason {
  const { type, requirement, expected } = issue
  if (issue.received === 'undefined') return fieldRule('FIELD_REQUIRED')
  if (type === 'strict_object' && expected === 'never') return fieldRule('FIELD_NOT_ALLOWED')
  const limit = typeof requirement === 'number' ? requirement : String(requirement)
  const isList = Array.isArray(issue.input)
  switch (type) {
    case 'max_length':
      return fieldRule(isList ? 'TOO_MANY_ITEMS' : 'TOO_LONG', { limit })
    case 'min_length':
      return fieldRule(isList ? 'TOO_FEW_ITEMS' : 'TOO_SHORT', { limit })
    case 'length':
      return fieldRule(isList ? 'ANOTHER_ITEM_COUNT' : 'ANOTHER_LENGTH', { limit })
    case 'max_entries':
      return fieldRule('TOO_MANY_ENTRIES', { limit })
    case 'non_empty':
      return fieldRule('FIELD_EMPTY')
    case 'min_value':
      return fieldRule('BELOW_LIMIT', { limit })
    case 'max_value':
      return fieldRule('ABOVE_LIMIT', { limit })
    case 'safe_integer':
      return fieldRule('NOT_WHOLE_AND_SAFE')
    case 'integer':
      return fieldRule('NOT_WHOLE')
    case 'finite':
      return fieldRule('NOT_FINITE')
    case 'uuid':
      return fieldRule('NOT_A_UUID')
    case 'url':
      return fieldRule('NOT_A_URL')
    case 'regex':
      return fieldRule('NOT_MATCHING', { pattern: String(requirement) })
    default:
      return expected === null ? fieldRule('FIELD_NOT_ALLOWED') : findKindRule(expected)
  }
}

const kinds = {
  string: 'NOT_A_STRING',
  number: 'NOT_A_NUMBER',
  boolean: 'NOT_A_BOOLEAN',
  Array: 'NOT_A_LIST',
  Object: 'NOT_AN_OBJECT',
  null: 'NOT_NULL',
} as const

/** `("a" | number)` as `"a" or a number`. */
function findKindRule(expected: string): Reason {
  const names = expected.replace(/^\((.*)\)$/, '$1').split(' | ')
  const rules = names.map((name) =>
    isKind(name) ? fieldRule(kinds[name]) : fieldRule('ANOTHER_VALUE', { expected: name }),
  )
  const [only] = rules
  if (rules.length === 1 && only !== undefined) return only
  const all = rules.map(({ reason }) => reason.replace(/^must be /, '')).join(' or ')
  return fieldRule('ANOTHER_VALUE', { expected: all })
}

function isKind(name: string): name is keyof typeof kinds {
  return Object.hasOwn(kinds, name)
}
