import { linkQuery } from '../../gateway-links/gateway-links.ts'
import type { ContentRequest } from '../answer.ts'
import { rootPath } from '../requests/content-path.ts'

/** Targets of the links of a page. */
export type PageLinks = {
  /** Prefix of an entry's path: `/ipfs/{cid}` on a path gateway, empty on an origin of its own. */
  base: string
  /** Address of the root of the path. */
  root: string
  /**
   * Prefix of `/ipfs/{cid}` in links to other roots: `//{host}` on a subdomain; undefined on a site, which has none.
   */
  otherRoots: string | undefined
  /** Query that the links need, too, with its question mark: a signed link is valid below its folder. Empty for none. */
  search: string
}

/** Returns the targets of the links of a page about a path. */
export function pageLinks({ host, path, query }: Pick<ContentRequest, 'host' | 'path' | 'query'>): PageLinks {
  const root = rootPath(path)
  const search = signedSearch(query)
  if (host.kind === 'site') return { base: '', root: `//${host.host}`, otherRoots: undefined, search }
  if (host.kind === 'subdomain')
    return { base: '', root: `//${host.host}${root}`, otherRoots: `//${host.host}`, search }
  return { base: root, root, otherRoots: '', search }
}

/** Returns the query of a signed link, which opens the entries of the folder, too. */
function signedSearch(query: URLSearchParams): string {
  const [expires, signature] = [query.get(linkQuery.expires), query.get(linkQuery.signature)]
  return expires === null || signature === null ? '' : `?${new URLSearchParams({ expires, signature })}`
}
