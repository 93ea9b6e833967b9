import { CairnError, createGatewayLink as createGatewayLinkCall, joinUrl, type NetworkProfile } from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import { parseCid } from '../content/parse-cid.ts'
import { maxPathNames } from '../content/path-limits.ts'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { linkQuery } from './gateway-links.ts'
import { requirePath } from './require-path.ts'
import { signLink } from './sign-link.ts'
import { findLinkable } from './store.ts'

/** Registers the call that signs links. */
export function registerGatewayLinkRoutes(app: FastifyInstance, context: Context, profile: () => NetworkProfile): void {
  route(app, context, createGatewayLinkCall, async ({ input: { body }, caller, signal }) => {
    const cid = parseCid(body.cid, body.cid)
    const segments = readSegments(body.path)
    const upload = await findLinkable(context.db.read, caller.address, cid)
    if (upload === undefined) {
      throw new CairnError('NOT_FOUND', {
        message: 'The account has no upload with this root',
        hint: 'Use the CID of one of your uploads, and the path below it.',
      })
    }
    await requirePath(context.packs.openPrivate(upload.id), cid, segments, signal)
    const expiresAtSeconds = Math.floor(context.clock.now() / 1000) + body.expiresInSeconds
    const signature = signLink(context.secret, { uploadId: upload.id, cid, segments, expiresAtSeconds })
    const query = new URLSearchParams({
      [linkQuery.expires]: String(expiresAtSeconds),
      [linkQuery.signature]: signature,
    })
    const path = [body.cid, ...segments.map(encodeURIComponent)].join('/')
    return {
      url: joinUrl(profile().gateway, `/ipfs/${path}?${query}`),
      expiresAt: expiresAtSeconds * 1000,
      isPrivate: upload.isPrivate,
    }
  })
}

/** Returns the names of a path. @throws CairnError INVALID_PATH */
function readSegments(path: string): string[] {
  const segments = path.split('/').filter((name) => name !== '')
  const isOdd = segments.some((name) => name === '.' || name === '..' || name.includes('\0') || !name.isWellFormed())
  if (isOdd || segments.length > maxPathNames) throw new CairnError('INVALID_PATH')
  return segments
}
