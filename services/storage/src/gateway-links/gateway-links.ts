import type { CID } from 'multiformats/cid'
import type { Context } from '../context.ts'
import { verifyLink } from './sign-link.ts'
import { findLinked } from './store.ts'

/** The private upload that a request reads through a signed link. */
export type LinkedUpload = {
  uploadId: string
  /** Whether the link opens the root, and not only a path below it. */
  isWhole: boolean
}

/** Opens signed links. */
export type GatewayLinks = {
  /**
   * Returns the private upload that the query of a request opens this path of. Returns undefined without a valid
   * signature, and for public content, which needs none: the request is then answered as one without a link.
   */
  find(
    query: URLSearchParams,
    path: { readonly cid: CID; readonly segments: readonly string[] },
  ): Promise<LinkedUpload | undefined>
}

/** The names of the query of a link. */
export const linkQuery = { expires: 'expires', signature: 'signature' } as const

/** Creates the opener of the links that this service signs. */
export function createGatewayLinks(
  context: Pick<Context, 'db' | 'clock' | 'secret' | 'secondarySecret'>,
): GatewayLinks {
  const { db, clock, secret, secondarySecret } = context
  const secrets = secondarySecret === undefined ? [secret] : [secret, secondarySecret]
  return {
    async find(query, { cid, segments }) {
      const [signature, expires] = [query.get(linkQuery.signature), query.get(linkQuery.expires)]
      if (signature === null || expires === null || !/^\d{1,12}$/.test(expires)) return undefined
      const expiresAtSeconds = Number(expires)
      if (expiresAtSeconds * 1000 <= clock.now()) return undefined
      const link = verifyLink(secrets, signature, { cid, segments, expiresAtSeconds })
      if (link === undefined) return undefined
      const { uploadId } = link
      const linked = await findLinked(db.read, uploadId, cid.multihash.bytes)
      return linked?.isPrivate ? { uploadId, isWhole: link.segments.length === 0 } : undefined
    },
  }
}
