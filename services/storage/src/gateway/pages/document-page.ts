import type { Entity } from '../open-path.ts'
import { type ContentPath, rootPath } from '../requests/content-path.ts'
import { escapeHtml } from './directory-page.ts'
import type { PageLinks } from './page-links.ts'
import { pageStyle } from './page-style.ts'

/** Maximum number of links shown per document. */
const maxLinks = 1000

/** Renders the page that browsers get for a linked data document: its type, how to fetch it, and its links. */
export function renderDocumentPage(
  entity: Entity,
  path: ContentPath,
  codec: string,
  { otherRoots, search }: PageLinks,
): Uint8Array {
  const cid = entity.cid.toString()
  const links = entity.node.links.slice(0, maxLinks).map((link) => {
    const text = link.cid.toString()
    // The signature is for this document, not for what it links to.
    if (search !== '') return `<li><span class="ipfs-hash" translate="no">${text}</span></li>`
    const href = otherRoots === undefined ? `https://cid.ipfs.tech/#${text}` : `${otherRoots}/ipfs/${text}`
    return `<li><a class="ipfs-hash" translate="no" href="${escapeHtml(href)}">${text}</a></li>`
  })
  const query = search === '' ? '?' : `${escapeHtml(search)}&amp;`
  const rest = entity.node.links.length - links.length
  return Buffer.from(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${cid}</title>
<style>${pageStyle}</style>
</head>
<body>
<main>
<header>
<h1>Linked data <span class="path">${escapeHtml([rootPath(path), ...path.segments].join('/'))}</span></h1>
</header>
<dl>
<dt>CID</dt><dd class="cid" translate="no">${cid}</dd>
<dt>Codec</dt><dd>${escapeHtml(codec)}</dd>
<dt>Fetch</dt><dd><a href="${query}format=${escapeHtml(codec)}">as ${escapeHtml(codec)}</a>, <a href="${query}format=raw">as a raw block</a>, <a href="${query}format=car">as a CAR</a></dd>
</dl>
${links.length === 0 ? '<p class="note">This document has no links.</p>' : `<h2>Links</h2>\n<ul>\n${links.join('\n')}\n</ul>`}
${rest > 0 ? `<p class="note">And ${rest} more.</p>` : ''}
</main>
</body>
</html>
`)
}
