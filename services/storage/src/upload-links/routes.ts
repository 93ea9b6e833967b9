import {
  createUploadLink as createUploadLinkCall,
  inspectUploadLink as inspectUploadLinkCall,
  listUploadLinks as listUploadLinksCall,
  revokeUploadLink as revokeUploadLinkCall,
  type UploadLink,
} from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import {
  findEnd,
  findUploadLinks,
  insertUploadLink,
  inspectUploadLink,
  type OpenUse,
  readContentTypes,
  revokeUploadLink,
  type UploadLinkRow,
} from './store.ts'

const noneOpen: OpenUse = { uploads: 0, bytes: 0 }

/** Registers the calls about upload links. The uploads themselves are calls of the resumable uploads. */
export function registerUploadLinkRoutes(app: FastifyInstance, context: Context): void {
  const toLink = (row: UploadLinkRow, open: OpenUse): UploadLink => {
    const end = findEnd(row, context.clock.now())
    return {
      id: row.id,
      label: row.label,
      state: end === undefined ? 'open' : end === 'revoked' ? 'revoked' : 'ended',
      maxFileBytes: row.max_file_bytes,
      maxTotalBytes: row.max_total_bytes,
      maxUploads: row.max_uploads,
      contentTypes: readContentTypes(row),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      uploads: row.uploads,
      uploadedBytes: row.uploaded_bytes,
      openUploads: open.uploads,
      openBytes: open.bytes,
      lastUsedAt: row.last_used_at,
    }
  }

  route(app, context, createUploadLinkCall, async ({ input: { body }, caller }) => {
    const { row, token } = await insertUploadLink(context, caller.address, body)
    return { ...toLink(row, noneOpen), token }
  })

  route(app, context, listUploadLinksCall, async ({ caller }) => ({
    links: (await findUploadLinks(context, caller.address)).map(({ row, open }) => toLink(row, open)),
  }))

  route(app, context, revokeUploadLinkCall, async ({ input: { params }, caller }) =>
    toLink(await revokeUploadLink(context, caller.address, params.id), noneOpen),
  )

  route(app, context, inspectUploadLinkCall, async ({ input: { body } }) => {
    const { row, open } = await inspectUploadLink(context, body.token)
    return {
      owner: row.address,
      maxFileBytes: row.max_file_bytes,
      contentTypes: readContentTypes(row),
      expiresAt: row.expires_at,
      uploadsLeft: Math.max(0, row.max_uploads - row.uploads - open.uploads),
      bytesLeft: Math.max(0, row.max_total_bytes - row.uploaded_bytes - open.bytes),
    }
  })
}
