import * as v from 'valibot'
import { expect, test } from 'vitest'
import { cidSchema } from '../schemas/cid.ts'
import { describeIssue, describeRule } from './describe-issue.ts'
import { findRule } from './find-rule.ts'

function describe(schema: v.GenericSchema, value: unknown): string[] {
  const { issues = [] } = v.safeParse(schema, value)
  return issues.map((issue) => describeIssue(issue, ['body', v.getDotPath(issue)].filter(Boolean).join('.')))
}

test.each<[v.GenericSchema, unknown, string]>([
  [v.object({ cid: v.string() }), {}, 'body.cid is required'],
  [v.string(), undefined, 'body is required'],
  [v.object({ name: v.string() }), { name: 7 }, 'body.name must be a string, but is 7'],
  [v.object({ n: v.number() }), { n: '7' }, 'body.n must be a number, but is "7"'],
  [v.object({ a: v.array(v.string()) }), { a: {} }, 'body.a must be a list, but is an object'],
  [v.object({ a: v.boolean() }), { a: null }, 'body.a must be true or false, but is empty'],
  [v.picklist(['asc', 'desc']), 'up', 'body must be "asc" or "desc", but is "up"'],
  [v.union([v.literal('never'), v.number()]), true, 'body must be "never" or a number, but is true'],
  [v.strictObject({}), { more: 1 }, 'body.more is not allowed'],
  [v.pipe(v.string(), v.maxLength(3)), 'long', 'body must have at most 3 characters, but is "long"'],
  [v.pipe(v.string(), v.maxLength(3)), 'x'.repeat(99), 'body must have at most 3 characters, but has 99 characters'],
  [v.pipe(v.array(v.number()), v.maxLength(1)), [1, 2], 'body must have at most 1 items, but is a list of 2'],
  [v.pipe(v.string(), v.nonEmpty()), '', 'body must not be empty, but is ""'],
  [v.pipe(v.number(), v.minValue(3)), 2, 'body must be at least 3, but is 2'],
  [v.pipe(v.number(), v.safeInteger()), 0.5, 'body must be a whole number below 2^53, but is 0.5'],
  [v.pipe(v.string(), v.regex(/^\d+$/)), 'a', 'body must match /^\\d+$/, but is "a"'],
  [v.pipe(v.string(), v.uuid()), 'a', 'body must be a UUID, but is "a"'],
  [
    v.pipe(
      v.string(),
      v.check(() => false),
    ),
    'a',
    'body is not allowed, but is "a"',
  ],
  [
    v.pipe(
      v.string(),
      v.check(() => false, 'At most 5 types'),
    ),
    'a',
    'body: At most 5 types',
  ],
  [cidSchema, 'a', 'body: Invalid CID'],
])('%# says what is wrong', (schema, value, messages) => {
  expect(describe(schema, value)).toEqual([messages])
  // The rule with a code says the same.
  const { issues = [] } = v.safeParse(schema, value)
  for (const issue of issues) {
    const rule = findRule(issue)
    if (rule !== undefined) expect(rule.reason).toBe(describeRule(issue))
  }
})

test('never repeats the value of a secret, by its field or by its form', () => {
  const short = v.pipe(v.string(), v.maxLength(2))
  for (const field of ['signedMessage', 'refreshToken', 'apiKey', 'password', 'authorization', 'payload'])
    expect(describe(v.object({ [field]: short }), { [field]: 'hunter2' })).toEqual([
      `body.${field} must have at most 2 characters`,
    ])
  for (const secret of [`0x${'ab'.repeat(16)}`, 'cairn_abc', 'eyJhbGciOi', 'some words typed'])
    expect(describe(v.object({ name: short }), { name: secret })).toEqual(['body.name must have at most 2 characters'])
})
