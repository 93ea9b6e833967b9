// Words that the project does not use, in sources, texts and pages. Each rule says what to write instead.

/** A rule: the pattern, and what to write instead. */
export type LanguageRule = { pattern: RegExp; instead: string }

/** An accepted use, with the reason. */
export type LanguageException = { file: string; text: string; reason: string }

/** One use of a rejected word. */
export type LanguageFinding = { file: string; line: number; found: string; instead: string; text: string }

/** Names of limits, contexts and requests. */
export const nameRules: readonly LanguageRule[] = [
  { pattern: /\b(?!atMost\b|isAtLeast\b|acceptAtMost\b)[a-z]\w*(?:Most|Least)\b/g, instead: 'max… or min…' },
  { pattern: /_(?:MOST|LEAST)\b/g, instead: '_MAX_ or _MIN_' },
  { pattern: /\b\w*[sS]urroundings\b/g, instead: 'context' },
  { pattern: /\b(?:wish|\w*Wish)\b/g, instead: 'request, params or options' },
  {
    pattern: /\b(?:giveUp|giveBack|letGo|firstGood|askNodes|asTheyCome|inTurn|takeTurns?)\b/g,
    instead: 'the field’s verb',
  },
  { pattern: /\b\w*[cC]ancel(?:ed|ing)\b/g, instead: 'cancelled or cancelling: the spelling is British' },
]

/** Words of comments, messages and pages, and of the names between them. */
export const proseRules: readonly LanguageRule[] = [
  {
    pattern: /\b(?:const|let) (?:told|tell|away|looks?|wishes)\b|^\s+(?:looking|away|ends|room): /g,
    instead: 'reported, notify, offline or unreachable, styles, capacity, checking, expires …',
  },
  {
    pattern: /\b(?!\w*[dD]efaults?\b)\w*[a-z]Faults?\b|\b(?:const|let) faults?\b/g,
    instead: 'error or failure: a fault is injected, or missed by a provider',
  },
  {
    pattern: /\b(?:nobody|somebody|anybody|everybody|whoever)\b/gi,
    instead: 'no one, a client, users, whichever caller …',
  },
  { pattern: /\banew\b/gi, instead: 'again' },
  { pattern: /\b(?:unless told|when told|as told|foretold)\b/gi, instead: 'unless set, when requested, expected' },
  { pattern: /\bmend(?:s|ed|ing)?\b/gi, instead: 'fix or repair' },
  { pattern: /\b(?:is|are|was|were) away\b/gi, instead: 'is offline or unavailable' },
  { pattern: /\bwaits? (?:its|their) turn\b/gi, instead: 'is queued' },
  { pattern: /\bleaves? away\b/gi, instead: 'omits' },
  { pattern: /\bin place of\b/gi, instead: 'instead of' },
  { pattern: /\bfor ever\b|\bforever\b|\bfor good\b/gi, instead: 'permanently' },
  { pattern: /\btells? (?:more|apart)\b/gi, instead: 'see …, or distinguishes' },
  { pattern: /\b(?:he|his|him)\b/g, instead: 'they, the user, the caller' },
  { pattern: /\bgood until\b|\blinks? ends?\b/gi, instead: 'expires' },
  { pattern: /\bforgets?\b|\bforgotten\b/gi, instead: 'clear, remove or evict' },
]

/** Finds the uses that no exception covers. */
export function findForbidden(
  file: string,
  text: string,
  rules: readonly LanguageRule[],
  exceptions: readonly LanguageException[],
): LanguageFinding[] {
  const own = exceptions.filter((exception) => exception.file === file)
  return text
    .split('\n')
    .flatMap((line, at) =>
      rules.flatMap(({ pattern, instead }) =>
        [...line.matchAll(pattern)]
          .filter(() => !own.some((exception) => line.includes(exception.text)))
          .map(([found]) => ({ file, line: at + 1, found, instead, text: line.trim() })),
      ),
    )
}
