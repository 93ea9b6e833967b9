import * as v from 'valibot'
import type { CairnError } from '../errors/error.ts'

/**
 * The content of a sentence for programs and for other languages: its code, and the values in it. The code is from a table of
 * sentences, or an error code.
 */
export type ReasonFacts = {
  readonly code: string
  readonly values?: Readonly<Record<string, string | number>> | undefined
}

/** Why something is so: an English sentence, with the values that it states. */
export type Reason = { readonly reason: string; readonly reasonFacts: ReasonFacts }

/** Sentences by code; `{name}` is a value. */
type ReasonTexts = Readonly<Record<string, string>>

type ValueName<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ValueName<Rest>
  : never
/** The values of a sentence. Sizes are in bytes, in a value whose name is `bytes` or ends with `Bytes`. */
export type ReasonValues<Text extends string> = [ValueName<Text>] extends [never]
  ? []
  : [values: Readonly<Record<ValueName<Text>, string | number>>]

/** The form in which responses and stores contain the values of a sentence. */
export const reasonFactsSchema: v.GenericSchema<ReasonFacts> = /* @__PURE__ */ v.object({
  code: /* @__PURE__ */ v.string(),
  values: /* @__PURE__ */ v.optional(
    /* @__PURE__ */ v.record(/* @__PURE__ */ v.string(), /* @__PURE__ */ v.union([v.string(), v.number()])),
  ),
})

const reasonSchema = /* @__PURE__ */ v.object({ reason: /* @__PURE__ */ v.string(), reasonFacts: reasonFactsSchema })

/** Words the sentence of a code, with the values that it has. */
export type WordReason<Texts extends ReasonTexts> = <Code extends keyof Texts & string>(
  code: Code,
  ...values: ReasonValues<Texts[Code]>
) => Reason

/** Returns what words the sentences of a table. */
export function createReasons<Texts extends ReasonTexts>(texts: Texts): WordReason<Texts> {
  return (code, ...[values]) => ({
    reason: fillReason(texts[code] ?? code, values ?? {}) ?? code,
    reasonFacts: { code, ...(values === undefined ? {} : { values }) },
  })
}

/** Returns a sentence with its values; undefined if it has another value than those. */
export function fillReason(
  text: string,
  values: Readonly<Record<string, string | number>>,
  format: (value: string | number, name: string) => string = String,
): string | undefined {
  let isComplete = true
  const filled = text.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    isComplete &&= value !== undefined
    return format(value ?? '', name)
  })
  return isComplete ? filled : undefined
}

/** Returns the facts of the `reason` of an error; the code of the error if it has none. */
export function reasonFactsOf({ code, details }: CairnError): ReasonFacts {
  return ('reasonFacts' in details ? parseReasonFacts(details.reasonFacts) : undefined) ?? { code }
}

/** Returns a stored or received reason; undefined if the value is not a reason. */
export function parseReason(value: unknown): Reason | undefined {
  const parsed = v.safeParse(reasonSchema, value)
  return parsed.success ? parsed.output : undefined
}

/** Returns stored or received facts; undefined if the value has another form. */
export function parseReasonFacts(value: unknown): ReasonFacts | undefined {
  const parsed = v.safeParse(reasonFactsSchema, value)
  return parsed.success ? parsed.output : undefined
}
