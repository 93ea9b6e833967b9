import { CairnError } from '@cairn/protocol'

/** Formats that pictures are written in. */
export type PictureFormat = 'avif' | 'webp' | 'jpeg' | 'png' | 'gif'

const fits = ['scale-down', 'contain', 'cover', 'crop', 'pad'] as const
const gravities = ['center', 'top', 'right', 'bottom', 'left', 'auto'] as const

/** How a picture is returned. Equal results have equal options. */
export type PictureOptions = {
  /** Sides of the box in pixels, multiplied by the device pixel ratio. */
  widthPx: number | undefined
  heightPx: number | undefined
  fit: (typeof fits)[number]
  /** Side that a crop keeps. */
  gravity: (typeof gravities)[number]
  /** From 1 to 100; the default of the format when undefined. */
  quality: number | undefined
  /** `source` keeps the format of the file; `auto` uses the best of `accepted`. */
  format: 'source' | 'auto' | 'avif' | 'webp' | 'jpeg' | 'png'
  /** Formats that the client accepts beyond those of every browser. Empty unless the format is `auto`. */
  accepted: readonly ('avif' | 'webp')[]
  /** Whether animations keep their frames. */
  isAnimated: boolean
}

/** Maximum width and height of a result, in pixels. */
export const maxSidePixels = 4096
const maxDevicePixelRatio = 4

/** Short names of the Lighthouse gateway. */
const shortNames: Readonly<Record<string, string>> = { h: 'img-height', w: 'img-width' }
const names = ['width', 'height', 'dpr', 'fit', 'gravity', 'quality', 'format', 'anim', 'metadata'].map(
  (name) => `img-${name}`,
)

/** Names of a query's picture parameters: `short` if there are only `h` and `w`, which pages also use themselves. */
export function findPictureQuery(query: URLSearchParams): 'none' | 'short' | 'full' {
  let found: 'none' | 'short' = 'none'
  for (const name of query.keys()) {
    if (name.startsWith('img-')) return 'full'
    if (Object.hasOwn(shortNames, name)) found = 'short'
  }
  return found
}

/**
 * Parses the picture parameters of a query. Empty values count as absent.
 * @param accept the client's Accept header
 * @returns undefined if no parameter has a value
 * @throws CairnError INVALID_REQUEST naming the parameter
 */
export function readPictureOptions(query: URLSearchParams, accept: string | undefined): PictureOptions | undefined {
  const values = readValues(query)
  if (values.size === 0) return undefined
  const dpr = readNumber(values, 'img-dpr', { min: 1, max: maxDevicePixelRatio, pattern: /^\d(\.\d{1,2})?$/ }) ?? 1
  const widthPx = readSide(values, 'img-width', dpr)
  const heightPx = readSide(values, 'img-height', dpr)
  const fit = readChoice(values, 'img-fit', fits) ?? 'scale-down'
  const gravity = readChoice(values, 'img-gravity', gravities) ?? 'center'
  const format = readChoice(values, 'img-format', ['auto', 'avif', 'webp', 'jpeg', 'png']) ?? 'source'
  const anim = readChoice(values, 'img-anim', ['true', 'false'])
  // Metadata is always removed.
  readChoice(values, 'img-metadata', ['none'])
  const isBox = widthPx !== undefined && heightPx !== undefined
  return {
    widthPx,
    heightPx,
    fit: widthPx === undefined && heightPx === undefined ? 'scale-down' : fit,
    gravity: isBox && (fit === 'cover' || fit === 'crop') ? gravity : 'center',
    quality: readNumber(values, 'img-quality', { min: 1, max: 100, pattern: /^\d{1,3}$/ }),
    format,
    accepted: format === 'auto' ? readAccepted(accept) : [],
    isAnimated: anim !== 'false',
  }
}

/** Returns the options in one canonical form, for tags and caches: letters, digits, dots and hyphens. */
export function describePicture(options: PictureOptions): string {
  const { widthPx, heightPx, fit, gravity, quality, format, accepted, isAnimated } = options
  return [
    ...(widthPx === undefined ? [] : [`w${widthPx}`]),
    ...(heightPx === undefined ? [] : [`h${heightPx}`]),
    fit,
    ...(gravity === 'center' ? [] : [gravity]),
    ...(quality === undefined ? [] : [`q${quality}`]),
    [format, ...accepted].join('.'),
    ...(isAnimated ? [] : ['still']),
  ].join('-')
}

/** A value, and the name that the query gives it. */
type Given = { value: string; given: string }

function readValues(query: URLSearchParams): Map<string, Given> {
  const values = new Map<string, Given>()
  for (const [given, value] of query) {
    const name = Object.hasOwn(shortNames, given) ? (shortNames[given] ?? given) : given
    if (!name.startsWith('img-')) continue
    if (!names.includes(name)) {
      throw invalid(`Picture parameter ${JSON.stringify(given.slice(0, 32))} is not supported`, [
        ...Object.keys(shortNames),
        ...names,
      ])
    }
    if (value === '') continue
    if (values.has(name)) throw invalid(`Picture parameter ${name} is given more than once`)
    values.set(name, { value, given })
  }
  return values
}

function readSide(values: ReadonlyMap<string, Given>, name: string, dpr: number): number | undefined {
  const side = readNumber(values, name, { min: 1, max: maxSidePixels, pattern: /^\d{1,5}$/ })
  if (side === undefined) return undefined
  const pixels = Math.round(side * dpr)
  if (pixels > maxSidePixels) {
    throw invalid(
      `${values.get(name)?.given ?? name} times img-dpr is ${pixels} pixels, the maximum is ${maxSidePixels}`,
    )
  }
  return pixels
}

function readNumber(
  values: ReadonlyMap<string, Given>,
  name: string,
  { min, max, pattern }: { min: number; max: number; pattern: RegExp },
): number | undefined {
  const found = values.get(name)
  if (found === undefined) return undefined
  const { value, given } = found
  const number = Number(value)
  if (!pattern.test(value) || number < min || number > max) {
    throw invalid(`${given} must be a number from ${min} to ${max}, not ${JSON.stringify(value.slice(0, 32))}`)
  }
  return number
}

function readChoice<Choice extends string>(
  values: ReadonlyMap<string, Given>,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const value = values.get(name)?.value
  if (value === undefined) return undefined
  // Published clients also write scaleDown.
  const found = choices.find((choice) => choice === value || choice.replace('-d', 'D') === value)
  if (found === undefined) throw invalid(`${name} ${JSON.stringify(value.slice(0, 32))} is not supported`, choices)
  return found
}

/** A wildcard does not count: browsers send one for formats that they cannot display. */
function readAccepted(accept = ''): ('avif' | 'webp')[] {
  const entries = accept
    .slice(0, 4096)
    .toLowerCase()
    .split(',')
    .map((entry) => entry.split(';').map((part) => part.trim()))
  const accepts = (type: string) =>
    entries.some(([name, ...params]) => name === type && !params.some((param) => /^q=0(\.0*)?$/.test(param)))
  return (['avif', 'webp'] as const).filter((format) => accepts(`image/${format}`))
}

function invalid(message: string, choices: readonly string[] = []): CairnError {
  const hint = choices.length === 0 ? 'See docs/how-to/pictures.md.' : `Use ${choices.join(', ')}.`
  return new CairnError('INVALID_REQUEST', { message, hint })
}
