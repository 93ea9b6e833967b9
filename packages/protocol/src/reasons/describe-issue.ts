import type * as v from 'valibot'

type Issue = v.BaseIssue<unknown>

/** Maximum length of a value in a message, in characters. */
const maxValueCharacters = 40

/** Published clients of key nodes misinterpret these words in a response. */
const misread = /null|fetch/i

/** Fields with secrets or references to them; and values that look like one in any field. */
const secretField = /key|token|secret|sign|password|auth|payload|shard|proof|seed|cookie|nonce|record|message/i
const secretValue = /^cairn_|^eyJ|[0-9a-fA-F]{32}|\s/

/** Describes the problem of a field in our own words: the violated rule, and the value unless it is a secret. */
export function describeIssue(issue: Issue, field: string): string {
  const rule = describeRule(issue)
  if (/^(?:is|has|can|must) /.test(rule)) return `${field} ${rule}${describeValue(issue, field)}`
  return `${field}: ${rule}`
}

/**
 * Describes the rule that a value violates: the message of the schema, else our text for the rule of the library. Never
 * contains the value.
 * @example 'must be a text', 'is required'
 */
export function describeRule(issue: Issue): string {
  if (!isDefaultMessage(issue)) return issue.message
  const { type, requirement, expected } = issue as Issue & { requirement?: unknown }
  if (issue.received === 'undefined') return 'is required'
  if (type === 'strict_object' && expected === 'never') return 'is not allowed'
  const unit = Array.isArray(issue.input) ? 'items' : 'characters'
  const rules: Record<string, string> = {
    max_length: `must have at most ${requirement} ${unit}`,
    min_length: `must have at least ${requirement} ${unit}`,
    length: `must have exactly ${requirement} ${unit}`,
    max_entries: `must have at most ${requirement} entries`,
    non_empty: 'must not be empty',
    min_value: `must be at least ${requirement}`,
    max_value: `must be at most ${requirement}`,
    safe_integer: 'must be a whole number below 2^53',
    integer: 'must be a whole number',
    finite: 'must be a finite number',
    uuid: 'must be a UUID',
    url: 'must be a URL',
    regex: `must match ${requirement}`,
  }
  return rules[type] ?? (expected === null ? 'is not allowed' : `must be ${nameKinds(expected)}`)
}

/**
 * The default message of the library: `Invalid {what}: Expected {this} but received {that}`, or without the
 * expectation.
 */
export function isDefaultMessage({ message, received }: Issue): boolean {
  return message.startsWith('Invalid ') && message.endsWith(`eceived ${received}`)
}

const kinds: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  Array: 'a list',
  Object: 'an object',
  null: 'empty',
}

/** `("a" | number)` as `"a" or a number`. */
function nameKinds(expected: string): string {
  const names = expected.replace(/^\((.*)\)$/, '$1').split(' | ')
  return names.map((name) => kinds[name] ?? name).join(' or ')
}

function describeValue({ input, received, type }: Issue, field: string): string {
  if (received === 'undefined' || type === 'strict_object' || secretField.test(field)) return ''
  if (input === null) return ', but is empty'
  if (typeof input === 'number' || typeof input === 'boolean') return `, but is ${input}`
  if (Array.isArray(input)) return `, but is a list of ${input.length}`
  if (typeof input === 'object') return ', but is an object'
  if (typeof input !== 'string' || secretValue.test(input) || misread.test(input)) return ''
  if (input.length <= maxValueCharacters) return `, but is ${JSON.stringify(input)}`
  return `, but has ${input.length} characters`
}
