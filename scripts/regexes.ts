// Regular expressions whose time grows with more than the length of a text: a text of some kilobytes can block a service for
// minutes.
import { parseSync } from 'oxc-parser'
import { analyse } from 'scslre'

/** A regular expression in a source. */
export type RegexPlace = { line: number; source: string; flags: string }

/** Finds the literals of regular expressions in a source. */
export function findRegexes(file: string, code: string): RegexPlace[] {
  const places: RegexPlace[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    if (isRegexLiteral(node)) {
      const line = code.slice(0, node.start).split('\n').length
      places.push({ line, source: node.regex.pattern, flags: node.regex.flags })
    }
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseSync(file, code).program)
  return places
}

function isRegexLiteral(node: object): node is { start: number; regex: { pattern: string; flags: string } } {
  return 'regex' in node && typeof node.regex === 'object' && node.regex !== null && 'start' in node
}

/**
 * Reports whether two parts of an expression can match the same characters, so that a text without a match is tried in many ways,
 * or whether an expression without a start repeats at each character of a text what it tried before.
 * @see https://www.npmjs.com/package/scslre
 */
export function isSuperLinear({ source, flags }: Pick<RegexPlace, 'source' | 'flags'>): boolean {
  return analyse({ source, flags }).reports.length > 0
}
