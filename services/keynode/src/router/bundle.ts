import { keyShardCount } from '@cairn/protocol'
import * as v from 'valibot'

/** One token per node, if it issued one, in the order of the nodes. */
export type Tokens = readonly (string | undefined)[]

const bundleSchema = v.record(v.picklist(['1', '2', '3', '4', '5']), v.pipe(v.string(), v.maxLength(4096)))

/** Bundles tokens into one text, in the format of published clients. */
export function bundleTokens(prefix: 'jwt:' | 'r:', tokens: Tokens): string {
  const named = tokens.flatMap((token, i) => (token === undefined ? [] : [[String(i + 1), token]]))
  return prefix + Buffer.from(JSON.stringify(Object.fromEntries(named))).toString('base64url')
}

/** Parses the tokens of a bundle; returns undefined for anything else. */
export function openBundle(prefix: 'jwt:' | 'r:', text: string): Tokens | undefined {
  if (!text.startsWith(prefix) || !/^[\w-]+$/.test(text.slice(prefix.length))) return undefined
  try {
    const json: unknown = JSON.parse(Buffer.from(text.slice(prefix.length), 'base64url').toString('utf8'))
    const parsed = v.parse(bundleSchema, json)
    const tokens = Array.from({ length: keyShardCount }, (_node, i) => parsed[String(i + 1) as keyof typeof parsed])
    return tokens.some((token) => token !== undefined) ? tokens : undefined
  } catch {
    // Not a bundle; the client gets the error of an invalid one.
    return undefined
  }
}
