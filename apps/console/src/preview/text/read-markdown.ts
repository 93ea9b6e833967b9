import { Lexer, type MarkedToken, type Token, Tokenizer } from 'marked'

/** Tokens that are rendered; others are shown as their source. */
const known: ReadonlySet<string> = new Set<MarkedToken['type']>([
  ...([
    'blockquote',
    'br',
    'checkbox',
    'code',
    'codespan',
    'def',
    'del',
    'em',
    'escape',
    'heading',
    'hr',
    'html',
  ] as const),
  ...(['image', 'link', 'list', 'list_item', 'paragraph', 'space', 'strong', 'table', 'text'] as const),
])

/** Returns whether this version knows the token. */
export function isKnownToken(token: Token): token is MarkedToken {
  return known.has(token.type)
}

/** Time limit for parsing, in ms: a paragraph crafted to be slow would block the page for minutes. Usual texts take a hundredth. */
const maxReadMs = 3_000
/** Maximum depth of nested quotes and lists. */
const maxNesting = 100

/** Throws if a text takes too long. */
class LimitedTokenizer extends Tokenizer {
  readonly #now: () => number
  readonly #end: number
  #nesting = 0

  constructor(now: () => number) {
    super()
    this.#now = now
    this.#end = now() + maxReadMs
  }

  override inlineText(text: string) {
    if (this.#now() > this.#end) throw new RangeError('a text that takes too long')
    return super.inlineText(text)
  }

  override blockquote(text: string) {
    return this.#nest(() => super.blockquote(text))
  }

  override list(text: string) {
    return this.#nest(() => super.list(text))
  }

  #nest<Found>(read: () => Found): Found {
    if (this.#nesting >= maxNesting) throw new RangeError('a text that is nested too deeply')
    this.#nesting++
    try {
      return read()
    } finally {
      this.#nesting--
    }
  }
}

/** Returns the tokens of a Markdown text (CommonMark and GitHub's tables); undefined if it is nested too deeply or takes too long. */
export function readMarkdown(text: string, now = () => performance.now()): Token[] | undefined {
  try {
    return Lexer.lex(text, { gfm: true, tokenizer: new LimitedTokenizer(now) })
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

/**
 * Returns a link that is safe to follow: to the web or to a mailbox. Relative links have no target, because files have no folder
 * here.
 */
export function safeLink(href: string): string | undefined {
  return /^(https?:\/\/|mailto:)/i.test(href) && URL.canParse(href) ? href : undefined
}

/** Replaces character references, as `&amp;` or `&#65;`, by their characters. */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text
  // A separate document: nothing in it runs or loads, and only a single reference is ever put into it.
  return text.replaceAll(/&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z\d]{1,31});/gi, (reference) => {
    return new DOMParser().parseFromString(reference, 'text/html').documentElement.textContent ?? reference
  })
}
