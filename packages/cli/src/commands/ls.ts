import { CairnError, type FileEntry, type FileFilter, listDirectory, listFiles } from '@cairn/sdk'
import { type Command, type CommandContext, flag, text } from '../command.ts'
import { findContent } from '../content-path.ts'
import { readCount } from '../read-count.ts'
import { formatBytes } from '../sizes.ts'
import { formatTime } from '../times.ts'
import { accessOf } from '../upload-access.ts'

/** Rows per fetch and display. */
const batchRows = 200

function readLimit({ values }: CommandContext): number {
  return readCount(text(values, 'limit'), '--limit', 1_000_000_000) ?? Number.POSITIVE_INFINITY
}

async function listOwn(context: CommandContext): Promise<void> {
  const { values, session, output, signal } = context
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
  const cidPath = await findContent(context, argument)
  const items = []
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
  },
  examples: ['cairn ls --search report', 'cairn ls bafy…/photos', 'cairn ls --json | jq .cid'],
  run: (context) => (context.args[0] === undefined ? listOwn(context) : listFolder(context.args[0], context)),
}
