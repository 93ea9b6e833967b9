import { language } from '../../messages/language.ts'

/** Writes the number of a cell. */
export type NumberFormat = (value: number) => string

/** Codes that every workbook has without stating them, of ECMA-376, 18.8.30. Missing ones are plain numbers. */
const builtInCodes: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '#,##0',
  4: '#,##0.00',
  5: '$#,##0;-$#,##0',
  6: '$#,##0;-$#,##0',
  7: '$#,##0.00;-$#,##0.00',
  8: '$#,##0.00;-$#,##0.00',
  9: '0%',
  10: '0.00%',
  11: '0.00E+00',
  12: '# ?/?',
  13: '# ??/??',
  14: 'yyyy-mm-dd',
  15: 'd-mmm-yy',
  16: 'd-mmm',
  17: 'mmm-yy',
  18: 'h:mm AM/PM',
  19: 'h:mm:ss AM/PM',
  20: 'h:mm',
  21: 'h:mm:ss',
  22: 'm/d/yy h:mm',
  37: '#,##0;(#,##0)',
  38: '#,##0;(#,##0)',
  39: '#,##0.00;(#,##0.00)',
  40: '#,##0.00;(#,##0.00)',
  41: '#,##0;(#,##0);"-"',
  42: '$#,##0;($#,##0);$"-"',
  43: '#,##0.00;(#,##0.00);"-"',
  44: '$#,##0.00;($#,##0.00);$"-"',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss',
  48: '##0.0E+0',
}

const dayMs = 86_400_000
/** Limit of spreadsheet programs. A longer code is not from one of them, and parsing it could take arbitrarily long. */
const maxCodeLength = 255
/** Limit of `Intl.NumberFormat`. */
const maxDigits = 20
/** Formats numbers with the precision that a workbook stores. */
const plainNumber = new Intl.NumberFormat(language, { useGrouping: false, maximumSignificantDigits: 15 })

/** The code of a format that a workbook does not state. */
export function builtInCode(id: number): string {
  return builtInCodes[id] ?? 'General'
}

/**
 * Parses the code of a format. Supports dates and times, shown as in ISO 8601, decimals, thousands, percentages, powers of ten,
 * fractions and the text beside them, with the separators of the page's language, and conditions, such as `[>100]`. Numbers of
 * other formats are shown plainly.
 * @param dayZero day 0 of the workbook, in ms since 1970
 */
export function readNumberFormat(code: string, dayZero: number): NumberFormat {
  if (code.length > maxCodeLength) return formatPlain
  const sections = splitSections(code)
  if (sections.some((section) => section.some(isCondition))) return readConditional(sections, dayZero)
  const [positive = formatPlain, negative, zero] = sections.slice(0, 3).map((section) => readSection(section, dayZero))
  return (value) => {
    if (!Number.isFinite(value)) return String(value)
    if (value < 0 && negative !== undefined) return negative(-value)
    if (value === 0 && zero !== undefined) return zero(value)
    return positive(value)
  }
}

function formatPlain(value: number): string {
  return Math.abs(value) >= 1e15 ? String(value) : plainNumber.format(value)
}

/** A part of a code: text that is shown as it is, or signs with a meaning. */
type Token = { kind: 'text' | 'signs' | 'elapsed' | 'condition'; text: string }

const tokenPattern = /"([^"]*)"|\\(.)|_.|\*.|\[([^\]]*)\]|;|AM\/PM|A\/P|General|[^"\\_*[;]/gi

/** Splits a code at its semicolons: the first part is for positive numbers, then negative ones, zero, and text. */
function splitSections(code: string): Token[][] {
  const sections: Token[][] = [[]]
  for (const [whole, quoted, escaped, bracketed] of code.matchAll(tokenPattern)) {
    const section = sections.at(-1) ?? []
    if (whole === ';') sections.push([])
    else if (quoted !== undefined || escaped !== undefined)
      section.push({ kind: 'text', text: quoted ?? escaped ?? '' })
    else if (bracketed !== undefined) section.push(...readBrackets(bracketed))
    // Padding of the width of a character, and repetition of one, are layout.
    else if (/^[_*]./.test(whole)) continue
    else section.push({ kind: 'signs', text: whole })
  }
  return sections
}

/** Reads a bracket: a currency, a duration that continues beyond 24 hours, or a condition. Colours and locales are not shown. */
function readBrackets(text: string): Token[] {
  const currency = /^\$([^-]*)/.exec(text)?.[1]
  if (currency !== undefined) return [{ kind: 'text', text: currency }]
  if (/^(?:h+|m+|s+)$/i.test(text)) return [{ kind: 'elapsed', text: text.toLowerCase() }]
  return /^[<>=]/.test(text) ? [{ kind: 'condition', text }] : []
}

function isCondition({ kind }: Token): boolean {
  return kind === 'condition'
}

/** A comparison of a number with a constant. */
type Condition = { sign: string; limit: number }

/** How many conditions the sections have: `[>100]a;b`, `[<1]a;[<2]b` and `[<1]a;[<2]b;c`. Programs disagree about others. */
const readableConditions = ['1,0', '1,1', '1,1,0']

function readConditional(sections: readonly Token[][], dayZero: number): NumberFormat {
  const numeric = sections.filter((section) => !section.some(({ kind, text }) => kind === 'signs' && text === '@'))
  const conditions = numeric.map((section) => section.filter(isCondition).map(({ text }) => readCondition(text)))
  const [first = formatPlain, second = formatPlain, rest = formatPlain] = numeric.map((section) =>
    readSection(
      section.filter((token) => !isCondition(token)),
      dayZero,
    ),
  )
  const [[when] = [], [orWhen] = []] = conditions
  const isReadable = readableConditions.includes(conditions.map(({ length }) => length).join(','))
  if (!isReadable || when === undefined || conditions.flat().includes(undefined)) return formatPlain
  const isRestNegative = when.sign.startsWith('>') && when.limit === 0
  return (value) => {
    if (!Number.isFinite(value)) return String(value)
    // A section for negative numbers alone contains their sign, as in `(0)`.
    if (fits(value, when)) return first(isNegative(when) ? -value : value)
    if (orWhen === undefined) return second(isRestNegative ? -value : value)
    return fits(value, orWhen) ? second(isNegative(orWhen) ? -value : value) : rest(value)
  }
}

function readCondition(text: string): Condition | undefined {
  const [, sign, limit] = /^(<=|>=|<>|<|>|=) *(-?\d+(?:\.\d+)?)$/.exec(text) ?? []
  return sign === undefined ? undefined : { sign, limit: Number(limit) }
}

function fits(value: number, { sign, limit }: Condition): boolean {
  if (sign === '<>') return value !== limit
  return (
    (sign.includes('<') && value < limit) ||
    (sign.includes('>') && value > limit) ||
    (sign.includes('=') && value === limit)
  )
}

function isNegative({ sign, limit }: Condition): boolean {
  return (sign === '<' && limit <= 0) || (sign === '<=' && limit < 0)
}

function readSection(tokens: readonly Token[], dayZero: number): NumberFormat {
  const signs = tokens.flatMap(({ kind, text }) => (kind === 'signs' ? [text] : [])).join('')
  if (/General|@/i.test(signs)) return formatPlain
  if (tokens.some(({ kind }) => kind === 'elapsed') || /[ymdhs]/i.test(signs)) return readDate(tokens, dayZero)
  return readFraction(tokens) ?? readDecimal(tokens)
}

/** Replaces the letter of minutes in a code, because months have the same. */
const minute = 'n'

function readDate(tokens: readonly Token[], dayZero: number): NumberFormat {
  const runs = tokens
    .map(({ kind, text }) => (kind === 'elapsed' ? `[${text}]` : kind === 'signs' ? text : ' '))
    .join('')
    .toLowerCase()
    .replaceAll(/am\/pm|a\/p/g, '')
    .match(/\[[hms]+\]|y+|m+|d+|h+|s+/g)
  const parts = (runs ?? []).map((run, at, all) => {
    const isMinute = /h/.test(all[at - 1] ?? '') || /s/.test(all[at + 1] ?? '')
    return run.startsWith('m') && isMinute ? minute : run
  })
  const has = (pattern: RegExp) => parts.some((part) => pattern.test(part))
  const hasSeconds = has(/s/)
  if (has(/^\[/)) return (value) => formatElapsed(value, hasSeconds, has(/^\[[hm]/) && !has(/^\[m/))
  const hasTime = has(/^[hsn]/)
  const hasDate = has(/^[ymd]/)
  const dateLength = has(/^d/) || !has(/^y/) ? 10 : has(/^m/) ? 7 : 4
  return (value) => {
    const date = new Date(dayZero + Math.round((value * dayMs) / 1000) * 1000)
    if (Number.isNaN(date.getTime())) return formatPlain(value)
    const [day = '', time = ''] = date.toISOString().slice(0, 19).split('T')
    const shownTime = hasTime ? time.slice(0, hasSeconds ? 8 : 5) : ''
    return [hasDate ? day.slice(0, dateLength) : '', shownTime].filter((part) => part !== '').join(' ')
  }
}

/** Formats a duration: its largest unit, hours or else minutes, continues beyond a day. */
function formatElapsed(value: number, hasSeconds: boolean, hasHours: boolean): string {
  const seconds = Math.round(Math.abs(value) * 86_400)
  const sign = value < 0 ? '-' : ''
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0')
  const rest = hasSeconds ? `:${two(seconds % 60)}` : ''
  if (!hasHours) return `${sign}${Math.floor(seconds / 60)}${rest}`
  return `${sign}${Math.floor(seconds / 3600)}:${two((seconds / 60) % 60)}${rest}`
}

const digits = /[0#?]/

function readDecimal(tokens: readonly Token[]): NumberFormat {
  const isDigit = ({ kind, text }: Token) => kind === 'signs' && digits.test(text)
  const first = tokens.findIndex(isDigit)
  const last = tokens.findLastIndex(isDigit)
  const literal = (part: readonly Token[]) => part.map(({ text }) => text).join('')
  // A text without a number, such as a dash for zero.
  if (first < 0) return () => literal(tokens)
  const end = last + 1 + countLeading(tokens.slice(last + 1), ',')
  const pattern = literal(tokens.slice(first, end))
  const parsed = /^([0#?,]*)(?:\.([0#?]*))?(?:E[+-](0+|#0))?(,*)$/i.exec(pattern)
  // Characters between the digits.
  if (parsed === null || tokens.slice(first, end).some(({ kind }) => kind !== 'signs')) return formatPlain
  const [, whole = '', fraction = '', exponent, scale = ''] = parsed
  const [before, after] = [literal(tokens.slice(0, first)), literal(tokens.slice(end))]
  const percents = [...before, ...after].filter((sign) => sign === '%').length
  const digitsOf = (text: string, pattern: RegExp) => Math.min(maxDigits, text.match(pattern)?.length ?? 0)
  const writer = new Intl.NumberFormat(language, {
    useGrouping: /[0#?],+[0#?]/.test(whole),
    minimumIntegerDigits: Math.max(1, digitsOf(whole, /0/g)),
    minimumFractionDigits: digitsOf(fraction, /0/g),
    maximumFractionDigits: digitsOf(fraction, /[0#?]/g),
    ...(exponent === undefined ? {} : { notation: 'scientific' }),
  })
  const factor = 100 ** percents / 1000 ** (scale.length + (/,*$/.exec(whole)?.[0].length ?? 0))
  return (value) => {
    const number = writer.format(value * factor)
    const [sign, size] = /^[-−]/.test(number) ? ['-', number.slice(1)] : ['', number]
    return `${sign}${before}${size}${after}`.trim()
  }
}

function countLeading(tokens: readonly Token[], sign: string): number {
  const other = tokens.findIndex(({ kind, text }) => kind !== 'signs' || text !== sign)
  return other < 0 ? tokens.length : other
}

/** Numerator and denominator. */
type Fraction = [number, number]

/** Three digits: more than spreadsheets offer, and exact enough for any measure. */
const maxDenominator = 999

/** Reads `# ?/?` and its like: the whole part is left out if the code has none, and the denominator may be fixed, as in `# ?/8`. */
function readFraction(tokens: readonly Token[]): NumberFormat | undefined {
  const isPart = ({ kind, text }: Token) => kind === 'signs' && /[0#?1-9]/.test(text)
  const [first, last] = [tokens.findIndex(isPart), tokens.findLastIndex(isPart)]
  const pattern = tokens.slice(first, last + 1)
  const literal = (part: readonly Token[]) => part.map(({ text }) => text).join('')
  const parsed = /^(?:([0#?]+) +)?[0#?]+ *\/ *([0#?]+|[1-9]\d*)$/.exec(literal(pattern))
  if (parsed === null || pattern.some(({ kind }) => kind !== 'signs')) return undefined
  const [, whole, below = ''] = parsed
  const fixed = digits.test(below[0] ?? '') ? undefined : Number(below)
  const limit = Math.min(maxDenominator, 10 ** below.length - 1)
  const [before, after] = [literal(tokens.slice(0, first)), literal(tokens.slice(last + 1))]
  return (value) => {
    const size = Math.abs(value)
    if (size >= 1e9) return formatPlain(value)
    const rest = whole === undefined ? size : size % 1
    let [numerator, denominator] =
      fixed === undefined ? nearestFraction(rest, limit) : [Math.round(rest * fixed), fixed]
    let units = whole === undefined ? 0 : Math.floor(size)
    if (whole !== undefined && numerator === denominator) [units, numerator] = [units + 1, 0]
    const hasUnits = whole !== undefined && (units > 0 || numerator === 0 || whole.includes('0'))
    const shown = [
      ...(hasUnits ? [String(units)] : []),
      ...(whole === undefined || numerator > 0 ? [`${numerator}/${denominator}`] : []),
    ]
    return `${value < 0 ? '-' : ''}${before}${shown.join(' ')}${after}`.trim()
  }
}

/** Returns the numerator and the denominator of the fraction that is closest to a number, by its continued fraction. */
function nearestFraction(value: number, limit: number): Fraction {
  let before: Fraction = [0, 1]
  let last: Fraction = [1, 0]
  for (let rest = value; ; ) {
    const step = Math.floor(rest)
    if (before[1] + step * last[1] > limit) break
    ;[before, last] = [last, [before[0] + step * last[0], before[1] + step * last[1]]]
    if (rest - step < 1e-9) return last
    rest = 1 / (rest - step)
  }
  const steps = Math.floor((limit - before[1]) / last[1])
  const between: Fraction = [before[0] + steps * last[0], before[1] + steps * last[1]]
  const distance = ([above, below]: Fraction) => Math.abs(value - above / below)
  return distance(between) < distance(last) ? between : last
}
