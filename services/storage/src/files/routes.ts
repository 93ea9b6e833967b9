import {
  CairnError,
  deleteFile as deleteFileCall,
  getFileInfo as getFileInfoCall,
  listFiles as listFilesCall,
  renameFile as renameFileCall,
} from '@cairn/protocol'
import type { FastifyInstance } from 'fastify'
import { requireCid } from '../content/parse-cid.ts'
import type { Context } from '../context.ts'
import { route } from '../http/route.ts'
import {
  type Access,
  deleteFiles,
  type Filter,
  findUpload,
  listFiles,
  renameFile,
  type Sorting,
  toFileEntries,
  toFileEntry,
} from './files.ts'
import { findManagers } from './managed-uploads.ts'

const columns = { createdAt: 'created_at', fileName: 'name', fileSizeInBytes: 'size_bytes' } as const

/** Registers the routes that list, describe, rename and delete uploads. */
export function registerFileRoutes(app: FastifyInstance, context: Context): void {
  route(app, context, listFilesCall, async ({ input: { query }, caller, signal }) => {
    const by = columns[query.sort ?? 'createdAt']
    const sorting: Sorting = { by, order: query.order ?? (by === 'name' ? 'asc' : 'desc') }
    const filter = readFilter(query.fileType, query.search)
    const { lastKey, pageNo: page, limit } = query
    if (page !== undefined && (lastKey || filter !== undefined)) throw pageOfFilter()
    const listed = { lastKey, page, sorting, filter, limit, signal }
    const { rows, total } = await listFiles(context, caller.address, listed)
    return { fileList: await toFileEntries(context, caller.address, rows), totalFiles: total }
  })

  route(app, context, getFileInfoCall, async ({ input: { query }, caller }) => {
    const row = await findUpload(context, requireCid(query.cid), caller?.address)
    const { cid, fileSizeInBytes, encryption, fileName, mimeType, txHash, private: isPrivate } = toFileEntry(row)
    const info = {
      fileSizeInBytes,
      cid,
      encryption,
      fileName,
      mimeType,
      txHash,
      ...(isPrivate && { private: isPrivate }),
    }
    return caller === undefined ? info : { ...info, isOwn: row.address === caller.address }
  })

  route(app, context, deleteFileCall, async ({ input: { query }, caller }) => {
    const { id, cid } = query
    if (!id && !cid) throw new CairnError('INVALID_REQUEST', { message: 'Specify the upload by id or cid' })
    await deleteFiles(context, caller.address, { id: id || undefined, cid: cid ? requireCid(cid) : undefined })
    return { message: 'File deleted successfully.' }
  })

  route(app, context, renameFileCall, async ({ input: { params, body }, caller: { address } }) => {
    const row = await renameFile(context, address, params.id, body.fileName)
    const managers = await findManagers(context.db.read, address, [row.id])
    return toFileEntry(row, managers.get(row.id))
  })
}

function pageOfFilter(): CairnError {
  const message = 'pageNo cannot be combined with lastKey, fileType or search'
  return new CairnError('INVALID_REQUEST', {
    message,
    hint: 'Set lastKey to the id of the last row of the previous page instead.',
    details: { issues: [{ field: 'query.pageNo', message }] },
  })
}

/** Values for no filter; published clients send all three. */
const anyType = ['all', 'null', 'undefined']

/** Words of `fileType` that select by access. */
const accessWords: ReadonlyMap<string, readonly Access[]> = new Map([
  ['public', ['public']],
  ['private', ['private']],
  ['encrypted', ['encrypted']],
  ['plain', ['public', 'private']],
])

function readFilter(fileType = '', search: string | undefined): Filter | undefined {
  const filter: Filter = {}
  const wanted = new Set(
    fileType
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  const access = new Set([...wanted].flatMap((word) => accessWords.get(word) ?? []))
  for (const word of accessWords.keys()) wanted.delete(word)
  // All three together do not filter anything.
  if (access.size > 0 && access.size < 3) filter.access = [...access]
  if (!anyType.some((word) => wanted.has(word)) && wanted.size > 0) filter.mimePrefixes = [...wanted]
  const text = search?.trim()
  if (text) filter.search = text
  return Object.keys(filter).length === 0 ? undefined : filter
}
