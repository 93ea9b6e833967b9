import {
  createLink as createLinkCall,
  type FileLink,
  inspectLink as inspectLinkCall,
  type LinkInfo,
  listLinks as listLinksCall,
  openLink as openLinkCall,
  revokeLink as revokeLinkCall,
} from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import { findEnd, findLinks, insertLink, inspectLink, type LinkRow, openLink, revokeLink } from './store.ts'

/** Registers the calls about links. */
export function registerLinkRoutes(app: FastifyInstance, context: Context): void {
  const toLink = (row: LinkRow): FileLink => {
    const end = findEnd(row, context.clock.now())
    return {
      id: row.id,
      cid: row.cid,
      label: row.label,
      needsPassword: row.password_hash !== null,
      state: end === undefined ? 'open' : end === 'revoked' ? 'revoked' : 'ended',
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      maxOpens: row.max_opens,
      opens: row.opens,
      failures: row.failures,
      lastOpenedAt: row.last_opened_at,
    }
  }

  route(app, context, createLinkCall, async ({ input: { body }, caller }) =>
    toLink(await insertLink(context, caller.address, body)),
  )

  route(app, context, listLinksCall, async ({ caller }) => ({
    links: (await findLinks(context, caller.address)).map(toLink),
  }))

  route(app, context, revokeLinkCall, async ({ input: { params }, caller }) =>
    toLink(await revokeLink(context, caller.address, params.id)),
  )

  route(app, context, inspectLinkCall, async ({ input: { params, body } }) =>
    toInfo(await inspectLink(context, params.id, body)),
  )

  route(app, context, openLinkCall, async ({ input: { params, body } }) => {
    const { row, sealed } = await openLink(context, params.id, body)
    return { ...toInfo(row), cid: row.cid, sealed }
  })
}

function toInfo(row: LinkRow): LinkInfo {
  return {
    owner: row.address,
    needsPassword: row.password_hash !== null,
    expiresAt: row.expires_at,
    opensLeft: row.max_opens - row.opens,
  }
}
