import { describeIssue, describeRule } from '@cairn/protocol'
import * as v from 'valibot'

const maxListed = 5

/** A setting that is a JSON document, or what is wrong with it. */
export type DocumentRead<T> = { readonly output: T } | { readonly problem: string }

/**
 * Parses a setting that is a JSON document. The problem names each field with its rule, and its value unless that may be a
 * secret: keys, and URLs, which may contain access keys.
 * @example 'challengeSeconds must be at least 1, but is 0; pollEvery is not allowed'
 */
export function readDocument<S extends v.GenericSchema>(schema: S, json: string): DocumentRead<v.InferOutput<S>> {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    // The parser's message quotes the document.
    return { problem: 'the document is not JSON' }
  }
  const found = v.safeParse(schema, value)
  if (found.success) return { output: found.output }
  return {
    problem: found.issues
      .slice(0, maxListed)
      .map((issue) => describe(issue))
      .join('; '),
  }
}

function describe(issue: v.BaseIssue<unknown>, parent?: string): string {
  const field = [parent, v.getDotPath(issue)].filter((one) => typeof one === 'string').join('.') || 'the document'
  // If a value may have several forms, reports the form that it has, with a wrong field.
  const deeper = issue.type === 'union' ? issue.issues?.find((one) => v.getDotPath(one) !== null) : undefined
  if (deeper !== undefined && issue.message.startsWith('Invalid ')) return describe(deeper, field)
  const mayBeSecret = /url/i.test(field) || (typeof issue.input === 'string' && issue.input.includes('://'))
  return mayBeSecret ? `${field} ${describeRule(issue)}` : describeIssue(issue, field)
}
