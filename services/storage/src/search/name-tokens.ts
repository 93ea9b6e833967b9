import { foldCase, upperOf } from './fold-case.ts'

/** Characters of a name that one token stands for. A shorter search has no tokens. */
const tokenLength = 3
/** Characters of a CID's start that a token stands for: all CIDs of a kind, and one in 256 of `bafkrei`. */
const cidStarts = [9, tokenLength] as const

/** The tokens of a search: rows with one of each tokens of `name`, and rows with the token `cid`. */
export type SearchTokens = { name: readonly (readonly number[])[]; cid: number }

/** Parts of a text that are looked up although they have letters of two forms: each has up to eight tokens. */
const maxParts = 8

/**
 * Returns the tokens of a row: a 32-bit hash of the account and of each three characters of the name, and of the start
 * of the CID. The account is part of each, so that the files of one account do not slow down the searches of another.
 * Equal hashes of different texts only make a search look at a row that does not match.
 */
export function tokensOfRow({ address, name, cid }: { address: string; name: string; cid: string }): number[] {
  const seed = hashText(0, address)
  const tokens = new Set<number>()
  addTokens(tokens, seed, lowerAscii(name))
  const start = lowerAscii(cid)
  for (const length of cidStarts) if (start.length >= length) tokens.add(tokenOfCid(seed, start, length))
  return [...tokens]
}

/** Returns the tokens that every row found by `text` has; undefined when the text is too short for one. */
export function tokensOfSearch(address: string, text: string): SearchTokens | undefined {
  // The name is compared with the lower case of the text, the CID with the text.
  const start = lowerAscii(text)
  const cidLength = cidStarts.find((length) => start.length >= length)
  if (text.length < tokenLength || cidLength === undefined) return undefined
  const seed = hashText(0, address)
  return { name: tokensOfParts(seed, foldCase(text)), cid: tokenOfCid(seed, start, cidLength) }
}

/** Returns the tokens of each three characters: several where a letter has two forms, which a token distinguishes beyond ASCII. */
function tokensOfParts(seed: number, text: string): number[][] {
  const units = formsOf(text)
  const single = new Set<number>()
  const several: number[][] = []
  for (let at = 2; at < units.length; at++) {
    const [first = [], second = [], third = []] = units.slice(at - 2, at + 1)
    const tokens = first.flatMap((a) => second.flatMap((b) => third.map((c) => tokenOf(seed, a, b, c))))
    const [only] = tokens
    if (tokens.length === 1 && only !== undefined) single.add(only)
    else if (several.length < maxParts) several.push(tokens)
  }
  return [...Array.from(single, (token) => [token]), ...several]
}

/** Returns the code units that may stand in each place of a name that the text is part of. */
function formsOf(text: string): number[][] {
  const forms: number[][] = []
  for (const letter of text) {
    const upper = letter > '\x7f' ? upperOf(letter) : undefined
    for (let at = 0; at < letter.length; at++) {
      const units = [letter, upper ?? letter].map((form) => form.charCodeAt(at))
      forms.push([...new Set(units)])
    }
  }
  return forms
}

/** Returns a token as a word of the text index of SQLite. */
export function matchText(token: number): string {
  return (token >>> 0).toString(36)
}

/** Lower-cases as both databases do for a name: only the letters of ASCII. */
function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}

function addTokens(tokens: Set<number>, seed: number, text: string): void {
  let first = text.charCodeAt(0)
  let second = text.charCodeAt(1)
  for (let at = 2; at < text.length; at++) {
    const third = text.charCodeAt(at)
    tokens.add(tokenOf(seed, first, second, third))
    first = second
    second = third
  }
}

function tokenOf(seed: number, first: number, second: number, third: number): number {
  return mix(seed ^ Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca77) ^ Math.imul(third, 0xc2b2ae3d))
}

function tokenOfCid(seed: number, start: string, length: number): number {
  return hashText(~seed, start.slice(0, length))
}

function hashText(seed: number, text: string): number {
  let hash = seed
  for (let at = 0; at < text.length; at++) hash = mix(hash ^ Math.imul(text.charCodeAt(at), 0x9e3779b1))
  return hash
}

/** Mixes the bits of a 32-bit integer: "lowbias32" of https://nullprogram.com/blog/2018/07/31/ */
function mix(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d)
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b)
  return hash ^ (hash >>> 16)
}
