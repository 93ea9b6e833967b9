import { CairnError, type FileEntry, type FileFilter, listDirectory, listFiles } from '@cairn/sdk'
import { type Command, flag, type Surroundings, text } from '../command.ts'
import { findContent } from '../content-path.ts'
import { formatBytes } from '../sizes.ts'

/** Rows fetched and shown at once. */
const batchRows = 200

async function listOwn({ values, session, output, signal }: Surroundings): Promise<void> {
  const most = Number(text(values, 'limit') ?? Number.POSITIVE_INFINITY)
  if (!(most >= 1)) throw new CairnError('USAGE', { message: '--limit must be a number from 1' })
  const filter: FileFilter = { limit: Math.min(batchRows, most) }
  const [search, type] = [text(values, 'search'), text(values, 'type')]
  if (search !== undefined) filter.search = search
  if (type !== undefined) filter.fileType = type
  const sort = text(values, 'sort')
  if (sort === 'name') filter.sort = 'fileName'
  else if (sort === 'size') filter.sort = 'fileSizeInBytes'
  else if (sort !== undefined && sort !== 'time')
    throw new CairnError('USAGE', { message: '--sort is time, name or size' })
  let rows: FileEntry[] = []
  let count = 0
  const show = () => {
    const isLong = flag(values, 'long')
    output.table(
      isLong ? ['CID', 'SIZE', 'MADE', 'ID', 'NAME'] : ['CID', 'SIZE', 'NAME'],
      rows.map((row) => {
        const made = new Date(row.createdAt).toISOString().slice(0, 16).replace('T', ' ')
        const size = formatBytes(Number(row.fileSizeInBytes))
        return isLong ? [row.cid, size, made, row.id, row.fileName] : [row.cid, size, row.fileName]
      }),
      rows,
    )
    rows = []
  }
  for await (const entry of listFiles(await session.client(), filter, { signal })) {
    rows.push(entry)
    if (rows.length === batchRows) show()
    if (++count >= most) break
  }
  show()
  if (count === 0) output.note('Nothing here yet.')
}

async function listFolder(argument: string, surroundings: Surroundings): Promise<void> {
  const { session, output, signal } = surroundings
  const cidPath = await findContent(surroundings, argument)
  const items = []
  for await (const item of listDirectory(await session.anonymous(), cidPath, { signal })) items.push(item)
  output.table(
    ['CID', 'SIZE', 'NAME'],
    items.map((item) => [item.cid, item.dagSizeBytes === undefined ? '–' : formatBytes(item.dagSizeBytes), item.name]),
    items,
  )
}

export const ls: Command = {
  name: 'ls',
  summary: 'List your uploads, or the names in a folder',
  usage: '[cid[/path]|name[/path]]',
  arity: [0, 1],
  options: {
    search: { type: 'string', short: 's', about: 'text that names contain, or the start of a CID', value: 'text' },
    type: {
      type: 'string',
      about: 'encrypted, plain, or the start of a MIME type; several with commas between',
      value: 'type',
      choices: ['encrypted', 'plain', 'image', 'video', 'audio', 'text', 'application'],
    },
    sort: { type: 'string', about: 'time, name or size', value: 'by', choices: ['time', 'name', 'size'] },
    long: { type: 'boolean', about: 'with the time and id of each' },
    limit: { type: 'string', short: 'l', about: 'most rows', value: 'n' },
  },
  examples: ['cairn ls --search report', 'cairn ls bafy…/photos', 'cairn ls --json | jq .cid'],
  run: (surroundings) =>
    surroundings.args[0] === undefined ? listOwn(surroundings) : listFolder(surroundings.args[0], surroundings),
}
