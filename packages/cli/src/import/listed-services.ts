import { joinUrl } from '@cairn/protocol'
import { CairnError } from '@cairn/sdk'
import * as v from 'valibot'
import { countOf } from '../text/count-of.ts'
import { fetchJson } from './fetch-json.ts'
import type { ImportItem } from './import-source.ts'
import { createItem } from './read-cid-list.ts'

/** Lists the content of an account, page by page: newest first, unless the service lists it otherwise. */
type ListPages = (base: string, token: string, signal: AbortSignal) => AsyncGenerator<Listed, void, undefined>
/** `at`: when it was stored, in ms since 1970; NaN if the service does not say so. */
type Listed = { item: ImportItem; at: number }

/** Lists the content of an account: oldest first, the order in which an import stores it. */
export type ListService = (...params: Parameters<ListPages>) => AsyncIterable<ImportItem>

/** Maximum page size of Pinata and of the Pinning Service API. */
const pageRows = 1000

const size = v.pipe(v.union([v.string(), v.number()]), v.transform(Number))
const optionalText = v.nullish(v.string())

const lighthousePage = v.object({
  fileList: v.array(
    v.object({
      id: v.string(),
      cid: v.string(),
      fileName: optionalText,
      mimeType: optionalText,
      encryption: v.nullish(v.boolean()),
      fileSizeInBytes: v.nullish(size),
      createdAt: v.optional(v.unknown()),
    }),
  ),
})

/**
 * Lists the uploads of a Lighthouse account: `GET /api/user/files_uploaded`, newest first. The next page starts after the
 * id of the last row; the first has the text `null`.
 * @see https://github.com/LighthouseWeb3/gitbook/blob/main/how-to/list-files.md
 */
const listLighthousePages: ListPages = async function* (base, token, signal) {
  for (let lastKey = 'null'; ; ) {
    const url = urlOf(base, '/api/user/files_uploaded', { lastKey })
    const { fileList } = await fetchJson(url, token, lighthousePage, signal)
    for (const { cid, fileName, mimeType, encryption, fileSizeInBytes, createdAt } of fileList) {
      const item = createItem(cid, {
        name: fileName ?? undefined,
        mimeType: mimeType ?? undefined,
        isEncrypted: encryption === true,
        sizeBytes: sizeOf(fileSizeInBytes),
      })
      yield { item, at: timeOf(createdAt) }
    }
    const last = fileList.at(-1)?.id
    if (last === undefined || last === lastKey) return
    lastKey = last
  }
}

const pinataPage = v.object({
  data: v.object({
    files: v.nullish(
      v.array(
        v.object({
          cid: v.string(),
          name: optionalText,
          size: v.nullish(size),
          mime_type: optionalText,
          created_at: v.optional(v.unknown()),
        }),
      ),
    ),
    next_page_token: optionalText,
  }),
})

/**
 * Lists the public files of a Pinata account: `GET /v3/files/public`, with the token of the next page in each.
 * @see https://docs.pinata.cloud/files/listing-files and https://docs.pinata.cloud/sdk/files/public/list
 */
const listPinataPages: ListPages = async function* (base, token, signal) {
  for (let pageToken: string | undefined; ; ) {
    const query = { limit: String(pageRows), ...(pageToken === undefined ? {} : { pageToken }) }
    const { data } = await fetchJson(urlOf(base, '/v3/files/public', query), token, pinataPage, signal)
    for (const { cid, name, size: sizeBytes, mime_type: mimeType, created_at: createdAt } of data.files ?? []) {
      const item = createItem(cid, {
        name: name ?? undefined,
        mimeType: mimeType?.includes('/') === true ? mimeType : undefined,
        sizeBytes: sizeOf(sizeBytes),
      })
      yield { item, at: timeOf(createdAt) }
    }
    const next = data.next_page_token ?? ''
    if (next === '' || next === pageToken) return
    pageToken = next
  }
}

const pinsPage = v.object({
  count: v.number(),
  results: v.array(
    v.object({ requestid: v.string(), created: v.string(), pin: v.object({ cid: v.string(), name: optionalText }) }),
  ),
})

/**
 * Lists the pins of an account at any service with the Pinning Service API: `GET /pins`, newest first. The next page contains
 * the pins that were created before the last one, and again those of the same millisecond, which may be on both pages.
 * @see https://ipfs.github.io/pinning-services-api-spec/
 */
const listPinsPages: ListPages = async function* (base, token, signal) {
  const seen = new Set<string>()
  let total: number | undefined
  let mayLack = false
  for (let before: string | undefined; ; ) {
    const query = { status: 'pinned', limit: String(pageRows), ...(before === undefined ? {} : { before }) }
    const { count, results } = await fetchJson(urlOf(base, '/pins', query), token, pinsPage, signal)
    total ??= count
    for (const { requestid, created, pin } of results) {
      if (seen.has(requestid)) continue
      seen.add(requestid)
      yield { item: createItem(pin.cid, { name: pin.name ?? undefined }), at: timeOf(created) }
    }
    const last = results.at(-1)?.created
    if (last === undefined || last === before || count <= results.length) break
    const next = afterMillisecond(last)
    // A whole page of one millisecond: there may be more of them.
    mayLack ||= next === before
    before = next === before ? last : next
  }
  const lacking = total - seen.size
  if (!mayLack || lacking <= 0) return
  const error = new CairnError('UNEXPECTED_RESPONSE', {
    message: `The service does not list ${countOf(lacking, 'pin')}: more of them have the same creation time than fit on one page`,
  })
  yield { item: { ...createItem('pins that are not listed', {}), error }, at: 0 }
}

/** The beginning of the next millisecond, or the same text if it is no time. */
function afterMillisecond(time: string): string {
  const at = Date.parse(time)
  return Number.isNaN(at) ? time : new Date(at + 1).toISOString()
}

/** Services list the newest first, so all pages are read before the first item. */
function oldestFirst(list: ListPages): ListService {
  return async function* (...params) {
    const listed: Listed[] = []
    for await (const one of list(...params)) listed.push(one)
    listed.reverse()
    if (listed.every(({ at }) => !Number.isNaN(at))) listed.sort((a, b) => a.at - b.at)
    for (const { item } of listed) yield item
  }
}

export const listLighthouse = oldestFirst(listLighthousePages)
export const listPinata = oldestFirst(listPinataPages)
export const listPins = oldestFirst(listPinsPages)

/** A time in ms since 1970, or a date and time as text. */
function timeOf(value: unknown): number {
  const isCount = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))
  return isCount ? Number(value) : Date.parse(String(value))
}

function urlOf(base: string, path: string, query: Record<string, string>): URL {
  return new URL(joinUrl(base, `${path}?${new URLSearchParams(query)}`))
}

function sizeOf(value: number | null | undefined): number | undefined {
  return value !== null && value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
