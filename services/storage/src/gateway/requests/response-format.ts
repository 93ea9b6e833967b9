import { CairnError } from '@cairn/protocol'

/** The requested format: the content itself, or one of the formats that the specifications name. */
export type ResponseFormat = 'raw' | 'car' | 'tar' | 'json' | 'cbor' | 'dag-json' | 'dag-cbor' | 'ipns-record'

/** Block order and duplicates of a CAR. @see https://specs.ipfs.tech/ipips/ipip-0412/ */
export type CarOptions = { order: 'dfs'; dups: boolean }

export type FormatChoice = {
  format: ResponseFormat | undefined
  car: CarOptions
  /** The query that requests the same format by URL, when the request used Accept. */
  ownQuery: string | undefined
}

export const mediaTypes: Record<ResponseFormat, string> = {
  raw: 'application/vnd.ipld.raw',
  car: 'application/vnd.ipld.car',
  tar: 'application/x-tar',
  json: 'application/json',
  cbor: 'application/cbor',
  'dag-json': 'application/vnd.ipld.dag-json',
  'dag-cbor': 'application/vnd.ipld.dag-cbor',
  'ipns-record': 'application/vnd.ipfs.ipns-record',
}

const formats = new Map<string, ResponseFormat>()
for (const format of ['raw', 'car', 'tar', 'json', 'cbor', 'dag-json', 'dag-cbor', 'ipns-record'] as const) {
  formats.set(format, format)
}
const formatsByType = new Map([...formats.values()].map((format) => [mediaTypes[format], format]))

type Accepted = { format: ResponseFormat; params: ReadonlyMap<string, string> }

/**
 * Chooses the format: `?format=` takes precedence over `Accept` (IPIP-0523), of which the first supported type
 * applies; the parameters of a CAR come from `car-version`, `car-order` and `car-dups`, else from an `Accept` that
 * names CARs.
 * @throws CairnError NOT_ACCEPTABLE for an unsupported format, INVALID_REQUEST for unsupported parameters.
 */
export function chooseFormat(query: URLSearchParams, accept: string | undefined): FormatChoice {
  const accepted = accept === undefined ? [] : readAccept(accept)
  const asked = query.get('format')
  const format = asked === null || asked === '' ? accepted[0]?.format : formats.get(asked)
  if (asked && format === undefined) {
    throw new CairnError('NOT_ACCEPTABLE', {
      message: `unsupported format ${JSON.stringify(asked.slice(0, 32))}`,
      hint: `Formats are ${[...formats.keys()].join(', ')}.`,
    })
  }
  const params = accepted.find((entry) => entry.format === format)?.params
  return {
    format,
    car: format === 'car' ? readCarOptions(query, params) : { order: 'dfs', dups: false },
    ownQuery: asked || format === undefined ? undefined : writeQuery(query, format, params),
  }
}

function writeQuery(query: URLSearchParams, format: ResponseFormat, params: ReadonlyMap<string, string> | undefined) {
  const own = new URLSearchParams(query)
  own.set('format', format)
  if (format === 'car') {
    for (const name of ['version', 'order', 'dups']) {
      const value = params?.get(name)
      if (value !== undefined && !own.has(`car-${name}`)) own.set(`car-${name}`, value)
    }
  }
  own.sort()
  return `?${own}`
}

function readCarOptions(query: URLSearchParams, params: ReadonlyMap<string, string> | undefined): CarOptions {
  const version = query.get('car-version') ?? params?.get('version') ?? '1'
  if (version !== '1') throw new CairnError('INVALID_REQUEST', { message: 'Only CAR version 1 is served' })
  const order = query.get('car-order') ?? params?.get('order') ?? 'dfs'
  if (order !== 'dfs' && order !== 'unk')
    throw new CairnError('INVALID_REQUEST', { message: 'order must be dfs or unk' })
  const dups = query.get('car-dups') ?? params?.get('dups') ?? 'n'
  if (dups !== 'y' && dups !== 'n') throw new CairnError('INVALID_REQUEST', { message: 'dups must be y or n' })
  // Order "unknown" allows any order, including depth first.
  return { order: 'dfs', dups: dups === 'y' }
}

/** Returns the supported types of an Accept header, in order, without those at q=0. */
function readAccept(accept: string): Accepted[] {
  const found: Accepted[] = []
  for (const entry of accept.slice(0, 4096).split(',')) {
    const [type = '', ...rest] = entry.split(';').map((part) => part.trim())
    const format = formatsByType.get(type.toLowerCase())
    if (format === undefined) continue
    const params = new Map<string, string>()
    for (const part of rest) {
      const [name = '', value = ''] = part.split('=').map((side) => side.trim())
      params.set(name.toLowerCase(), value.replace(/^"(.*)"$/, '$1').toLowerCase())
    }
    if (Number(params.get('q') ?? '1') !== 0) found.push({ format, params })
  }
  return found
}
