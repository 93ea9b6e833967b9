import { createHash } from 'node:crypto'
import { formatBytes } from '@cairn/protocol'
import type { DirectoryEntry } from '@cairn/unixfs'
import type { CID } from 'multiformats/cid'
import { encodeStrict } from '../requests/content-path.ts'
import type { PageLinks } from './page-links.ts'
import { pageStyle } from './page-style.ts'

export type DirectoryPage = {
  cid: CID
  /** `/ipfs/{cid}` or `/ipns/{name}`. */
  root: string
  segments: readonly string[]
  links: PageLinks
  /** Total bytes of all blocks below, as the folder declares. */
  sizeBytes: number | undefined
  entries: AsyncIterable<DirectoryEntry>
  /** Page number, from 1. */
  page: number
}

/** Number of entries per page. */
const entriesPerPage = 500

/** Changes with the page's markup or style, so that cached pages of an older version do not match. */
export const pageVersion = createHash('sha256').update(pageStyle).update('page-6').digest('hex').slice(0, 16)

/** Generated pages run no scripts, load nothing, cannot be framed, and use only their own style. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(pageStyle).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** Renders a folder page piece by piece: memory does not grow with the folder. */
export async function* renderDirectory(page: DirectoryPage): AsyncGenerator<string> {
  const { segments, links, cid } = page
  const here = [page.root, ...segments].join('/')
  const path = segments.map((segment) => `/${encodeStrict(segment)}`)
  yield `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(segments.at(-1) ?? rootNames(page.root).text)}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<header>
<h1>Index of <span class="path">${breadcrumbs(page)}</span></h1>
<p class="facts"><span class="cid" translate="no">${escapeHtml(cid.toString())}</span>${page.sizeBytes === undefined ? '' : ` <span>${formatBytes(page.sizeBytes)}</span>`}</p>
</header>
<table aria-label="${escapeHtml(here)}">
<thead><tr><th scope="col">Name</th><th scope="col">CID</th><th scope="col" class="size">Size</th></tr></thead>
<tbody>
`
  if (segments.length > 0) {
    yield `<tr><td><a href="${escapeHtml(`${links.base}${path.join('')}/..${links.search}`)}">..</a></td><td></td><td></td></tr>\n`
  }
  let count = 0
  let more = false
  const skip = (page.page - 1) * entriesPerPage
  for await (const entry of page.entries) {
    if (count === skip + entriesPerPage) {
      more = true
      break
    }
    if (count++ >= skip) yield renderEntry(entry, path.join(''), links)
  }
  const shown = count - Math.min(skip, count)
  yield '</tbody>\n</table>\n'
  if (shown === 0) yield `<p class="note">${page.page === 1 ? 'This folder is empty.' : 'No more entries.'}</p>\n`
  if (more || page.page > 1) yield pager(page.page, more, links.search)
  yield '</main>\n</body>\n</html>\n'
}

function rootNames(root: string): { namespace: string; text: string } {
  const [, namespace = '', text = ''] = root.split('/')
  return { namespace, text }
}

function breadcrumbs({ root, segments, links }: DirectoryPage): string {
  const { namespace, text } = rootNames(root)
  let href = links.root
  const top = links.otherRoots === undefined ? `${href}/` : href
  let html = `/${namespace}/<a href="${escapeHtml(`${top}${links.search}`)}">${escapeHtml(text)}</a>`
  for (const segment of segments) {
    href += `/${encodeStrict(segment)}`
    html += `/<a href="${escapeHtml(`${href}${links.search}`)}">${escapeHtml(segment)}</a>`
  }
  return html
}

function renderEntry({ name, cid, sizeBytes }: DirectoryEntry, path: string, links: PageLinks): string {
  const text = cid.toString()
  const encoded = encodeStrict(name)
  const label = escapeHtml(name)
  // Names that no path can express are shown, but only their CID is linked.
  const addressable = name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0')
  const shown = addressable
    ? `<a href="${escapeHtml(`${links.base}${path}/${encoded}${links.search}`)}">${label}</a>`
    : `<span class="odd">${label === '' ? '(no name)' : label}</span>`
  const hash =
    links.otherRoots === undefined
      ? `<a class="ipfs-hash" translate="no" href="https://cid.ipfs.tech/#${text}" target="_blank" rel="noreferrer noopener">`
      : `<a class="ipfs-hash" translate="no" href="${escapeHtml(`${links.otherRoots}/ipfs/${text}?filename=${encodeURIComponent(encoded)}`)}">`
  const short = `${text.slice(0, 6)}…${text.slice(-6)}`
  // The signature is for the root, not for the CID of an entry.
  const shownHash =
    links.search === '' ? `${hash}${short}</a>` : `<span class="ipfs-hash" translate="no">${short}</span>`
  return `<tr><td>${shown}</td><td>${shownHash}</td><td class="size">${sizeBytes === undefined ? '' : formatBytes(sizeBytes)}</td></tr>\n`
}

function pager(page: number, more: boolean, search: string): string {
  const query = search === '' ? '?' : `${escapeHtml(search)}&amp;`
  const back = page > 1 ? `<a rel="prev" href="${query}page=${page - 1}">Previous</a>` : '<span></span>'
  const on = more ? `<a rel="next" href="${query}page=${page + 1}">Next</a>` : '<span></span>'
  return `<nav class="pager" aria-label="Pages">${back}<span>Page ${page}</span>${on}</nav>\n`
}

/**
 * Escapes text for element content and quoted attributes; replaces invisible and bidirectional control characters
 * with �.
 */
export function escapeHtml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
    .replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
