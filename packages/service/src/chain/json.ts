/** JSON of chains: whole numbers beyond 2^53 are bigints, exact to the last digit. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [key: string]: Json }

/** JSON of requests. */
export type PlainJson =
  | null
  | boolean
  | number
  | string
  | readonly PlainJson[]
  | { readonly [key: string]: PlainJson | undefined }

/**
 * Parses JSON without rounding whole numbers.
 *
 * @throws SyntaxError
 * @see https://tc39.es/proposal-json-parse-with-source/
 */
export function parseJson(text: string): Json {
  const parsed: Json = JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? '')
      : value,
  )
  return parsed
}

/** Returns whether a value is a JSON object. */
export function isJsonObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
