import { formatBytes } from '@cairn/protocol'
import {
  CairnError,
  type FileEntry,
  type FileFilter,
  type FolderItem,
  listDirectory,
  listFiles,
  openEncryptedFolder,
} from '@cairn/sdk'
import { readCount } from '../arguments/read-count.ts'
import { type Command, type CommandContext, flag, text } from '../command.ts'
import { findContent } from '../content-path.ts'
import { type Content, openContent, readOptions, withWayOut } from '../read-content.ts'
import { formatTime } from '../text/times.ts'
import { accessOf } from '../uploads/upload-access.ts'

const toListStored = 'To list what is stored, use --encrypted.'

/** Rows per fetch and display. */
const batchRows = 200

function readLimit({ values }: CommandContext): number {
  return readCount(text(values, 'limit'), '--limit', 1_000_000_000) ?? Number.POSITIVE_INFINITY
}

async function listOwn(context: CommandContext): Promise<void> {
  const { values, session, output, signal } = context
  const ofFolders = Object.keys(readOptions).find((name) => values[name] !== undefined)
  if (ofFolders !== undefined)
    throw new CairnError('USAGE', {
      message: `--${ofFolders} applies to a folder, not to the list of your uploads`,
      hint: 'Name a folder. To list encrypted uploads, use --type encrypted.',
    })
  const maxRows = readLimit(context)
  const filter: FileFilter = { limit: Math.min(batchRows, maxRows) }
  const [search, type] = [text(values, 'search'), text(values, 'type')]
  if (search !== undefined) filter.search = search
  if (type !== undefined) filter.fileType = type
  const sort = text(values, 'sort')
  if (sort === 'name') filter.sort = 'fileName'
  else if (sort === 'size') filter.sort = 'fileSizeInBytes'
  else if (sort !== undefined && sort !== 'time')
    throw new CairnError('USAGE', { message: '--sort must be time, name or size' })
  let rows: FileEntry[] = []
  let count = 0
  const show = () => {
    const isLong = flag(values, 'long')
    output.table(
      isLong ? ['CID', 'SIZE', 'MADE', 'ACCESS', 'ID', 'NAME'] : ['CID', 'SIZE', 'NAME'],
      rows.map((row) => {
        const made = formatTime(row.createdAt)
        const size = formatBytes(Number(row.fileSizeInBytes))
        return isLong ? [row.cid, size, made, accessOf(row), row.id, row.fileName] : [row.cid, size, row.fileName]
      }),
      rows,
    )
    rows = []
  }
  for await (const entry of listFiles(await session.client(), filter, { signal })) {
    rows.push(entry)
    if (rows.length === batchRows) show()
    if (++count >= maxRows) break
  }
  show()
  if (count === 0) output.note(search === undefined && type === undefined ? 'No uploads yet.' : 'No upload matches.')
}

async function listFolder(argument: string, context: CommandContext): Promise<void> {
  const { session, output, signal, values } = context
  const ofUploads = ['search', 'type', 'sort'].find((name) => values[name] !== undefined)
  if (ofUploads !== undefined)
    throw new CairnError('USAGE', {
      message: `--${ofUploads} applies to the list of your uploads, not to a folder`,
      hint: 'Omit it, or omit the folder.',
    })
  const maxRows = readLimit(context)
  const cidPath = (await findContent(context, argument)).replace(/^\/ipfs\//, '')
  const content = flag(values, 'encrypted') ? undefined : await findEncryptedFolder(context, cidPath)
  if (content !== undefined) return listDecrypted(content, maxRows, context)
  const items: FolderItem[] = []
  for await (const item of listDirectory(await session.optionalClient(), cidPath, { signal })) {
    if (items.push(item) >= maxRows) break
  }
  output.table(
    ['CID', 'SIZE', 'NAME'],
    items.map((item) => [item.cid, item.dagSizeBytes === undefined ? '–' : formatBytes(item.dagSizeBytes), item.name]),
    items,
  )
  if (items.length === 0) output.note('The folder is empty.')
}

/** Returns how to open a folder that was encrypted as one; undefined for all other content. */
async function findEncryptedFolder(context: CommandContext, cidPath: string): Promise<Content | undefined> {
  const { session, signal } = context
  const [cid = ''] = cidPath.split('/')
  // Such a folder stores numbers and `index` as names. Other folders need no call of the key nodes.
  for await (const { name } of listDirectory(await session.optionalClient(), cid, { signal })) {
    if (!/^(?:\d+|index)$/.test(name)) return undefined
    const content = await openContent(context, cidPath, toListStored)
    return content.decryption === undefined ? undefined : content
  }
  return undefined
}

/** Lists the files in a folder that was encrypted as one, with their paths below it. */
async function listDecrypted(
  { client, cid, path, decryption }: Content,
  maxRows: number,
  { output, signal }: CommandContext,
): Promise<void> {
  const { files, folders } = await openEncryptedFolder(client, cid, { ...decryption, signal }).catch(
    (error: unknown) => {
      throw withWayOut(error, toListStored)
    },
  )
  const all = [
    ...files.map(({ path: name, sizeBytes }) => ({ path: name, sizeBytes })),
    ...folders.map((name) => ({ path: `${name}/`, sizeBytes: null })),
  ]
  const wanted = path.split('/').filter(Boolean).join('/')
  if (all.some((item) => wanted !== '' && item.path === wanted)) throw new CairnError('NOT_A_DIRECTORY')
  const below = all.filter((item) => wanted === '' || item.path.startsWith(`${wanted}/`))
  if (below.length === 0 && wanted !== '')
    throw new CairnError('PATH_NOT_FOUND', {
      message: `The folder does not contain ${wanted}`,
      hint: `List all of it: cairn ls ${cid}`,
    })
  const found = below.filter((item) => item.path !== `${wanted}/`)
  const items = found.toSorted((a, b) => (a.path < b.path ? -1 : 1)).slice(0, maxRows)
  output.table(
    ['SIZE', 'PATH'],
    items.map((item) => [item.sizeBytes === null ? '–' : formatBytes(item.sizeBytes), item.path]),
    items,
    'PATH',
  )
  output.note(
    items.length === 0
      ? 'The folder is empty.'
      : `Encrypted as one folder. To open a file: cairn cat ${cid}/<path>. To list what is stored: --encrypted.`,
  )
}

export const ls: Command = {
  name: 'ls',
  summary: 'List your uploads, or the names in a folder',
  usage: '[cid[/path]|name[/path]]',
  arity: [0, 1],
  endsWithOutput: true,
  options: {
    search: { type: 'string', short: 's', about: 'part of a name, or the start of a CID', value: 'text' },
    type: {
      type: 'string',
      about: 'public, private, encrypted or the start of a MIME type, separated by commas',
      value: 'type',
      choices: ['public', 'private', 'encrypted', 'image', 'video', 'audio', 'text', 'application'],
    },
    sort: { type: 'string', about: 'sort by time, name or size', value: 'by', choices: ['time', 'name', 'size'] },
    long: { type: 'boolean', about: 'show time, access and id of each upload' },
    limit: { type: 'string', short: 'l', about: 'maximum number of rows', value: 'n' },
    ...readOptions,
  },
  examples: ['cairn ls --search report', 'cairn ls bafy…/photos', 'cairn ls --json | jq .cid'],
  run: (context) => (context.args[0] === undefined ? listOwn(context) : listFolder(context.args[0], context)),
}
