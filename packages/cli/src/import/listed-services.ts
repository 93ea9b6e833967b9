import * as v from 'valibot'
import { fetchJson } from './fetch-json.ts'
import type { ImportItem } from './import-source.ts'
import { createItem } from './read-cid-list.ts'

/** Lists the content of an account, page by page. */
export type ListService = (
  base: string,
  token: string,
  signal: AbortSignal,
) => AsyncGenerator<ImportItem, void, undefined>

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
    }),
  ),
})

/**
 * Lists the uploads of a Lighthouse account: `GET /api/user/files_uploaded`, newest first. The next page starts after the
 * id of the last row; the first has the text `null`.
 * @see https://github.com/LighthouseWeb3/gitbook/blob/main/how-to/list-files.md
 */
export const listLighthouse: ListService = async function* (base, token, signal) {
  for (let lastKey = 'null'; ; ) {
    const url = urlOf(base, '/api/user/files_uploaded', { lastKey })
    const { fileList } = await fetchJson(url, token, lighthousePage, signal)
    for (const { cid, fileName, mimeType, encryption, fileSizeInBytes } of fileList) {
      yield createItem(cid, {
        name: fileName ?? undefined,
        mimeType: mimeType ?? undefined,
        isEncrypted: encryption === true,
        sizeBytes: sizeOf(fileSizeInBytes),
      })
    }
    const last = fileList.at(-1)?.id
    if (last === undefined || last === lastKey) return
    lastKey = last
  }
}

const pinataPage = v.object({
  data: v.object({
    files: v.nullish(
      v.array(v.object({ cid: v.string(), name: optionalText, size: v.nullish(size), mime_type: optionalText })),
    ),
    next_page_token: optionalText,
  }),
})

/**
 * Lists the public files of a Pinata account: `GET /v3/files/public`, with the token of the next page in each.
 * @see https://docs.pinata.cloud/files/listing-files and https://docs.pinata.cloud/sdk/files/public/list
 */
export const listPinata: ListService = async function* (base, token, signal) {
  for (let pageToken: string | undefined; ; ) {
    const query = { limit: String(pageRows), ...(pageToken === undefined ? {} : { pageToken }) }
    const { data } = await fetchJson(urlOf(base, '/v3/files/public', query), token, pinataPage, signal)
    for (const { cid, name, size: sizeBytes, mime_type: mimeType } of data.files ?? []) {
      yield createItem(cid, {
        name: name ?? undefined,
        mimeType: mimeType?.includes('/') === true ? mimeType : undefined,
        sizeBytes: sizeOf(sizeBytes),
      })
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
 * Lists the pins of an account at any service with the Pinning Service API: `GET /pins`, newest first. The next page
 * contains the pins that were created before the last one.
 * @see https://ipfs.github.io/pinning-services-api-spec/
 */
export const listPins: ListService = async function* (base, token, signal) {
  for (let before: string | undefined; ; ) {
    const query = { status: 'pinned', limit: String(pageRows), ...(before === undefined ? {} : { before }) }
    const { count, results } = await fetchJson(urlOf(base, '/pins', query), token, pinsPage, signal)
    for (const { pin } of results) yield createItem(pin.cid, { name: pin.name ?? undefined })
    const last = results.at(-1)?.created
    if (last === undefined || last === before || count <= results.length) return
    before = last
  }
}

function urlOf(base: string, path: string, query: Record<string, string>): URL {
  return new URL(`${base.replace(/\/+$/, '')}${path}?${new URLSearchParams(query)}`)
}

function sizeOf(value: number | null | undefined): number | undefined {
  return value !== null && value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}
