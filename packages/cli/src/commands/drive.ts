import { formatBytes } from '@cairn/protocol'
import { CairnError, type Drive, type DriveItem, resetDrive, shareFile } from '@cairn/sdk'
import { type Actions, actionCommand } from '../action-command.ts'
import { readAddress } from '../arguments/read-addresses.ts'
import { type CommandContext, flag, text } from '../command.ts'
import { openKeyClient } from '../keys/key-client.ts'
import { clearKnown, openOwnDrive, saveKnown } from '../keys/own-drive.ts'
import { showChange } from '../keys/show-change.ts'
import { writePrivateFile } from '../state/write-private-file.ts'
import { countOf } from '../text/count-of.ts'
import { formatTime } from '../text/times.ts'

type Edit = Parameters<Drive['change']>[0]

async function list(context: CommandContext): Promise<void> {
  const { args, values, output } = context
  const [, path = '/'] = args
  const [isTrash, isStarred, tag] = [flag(values, 'trash'), flag(values, 'starred'), text(values, 'tag')]
  if (isTrash && args.length > 1) {
    throw new CairnError('USAGE', {
      message: 'drive ls --trash lists the trash of all folders',
      hint: 'Omit the folder.',
    })
  }
  const { drive } = await openOwnDrive(context)
  if (isTrash) {
    const items = drive.trash()
    output.table(
      ['DELETED', 'SIZE', 'ID', 'PATH'],
      items.map((item) => [formatTime(item.trashedAt ?? 0), sizeOf(item), item.id, item.path]),
      items,
      'PATH',
    )
    if (items.length === 0) output.note('The trash is empty.')
    return
  }
  const isSearch = isStarred || tag !== undefined
  const base = path === '/' ? undefined : requireItem(drive, path)
  const found = isSearch ? drive.all().filter((item) => base === undefined || isBelow(item, base)) : drive.list(path)
  const items = found.filter((item) => (!isStarred || item.isStarred) && (tag === undefined || item.tags.includes(tag)))
  if (isSearch) items.sort((a, b) => (a.path < b.path ? -1 : 1))
  const title = isSearch ? 'PATH' : 'NAME'
  output.table(
    ['SIZE', 'MARKS', title],
    items.map((item) => [
      sizeOf(item),
      marksOf(item),
      `${isSearch ? item.path : item.name}${item.kind === 'folder' ? '/' : ''}`,
    ]),
    items,
    title,
  )
  if (items.length === 0) output.note(isSearch ? 'Nothing found.' : 'The folder is empty.')
}

async function versions(context: CommandContext): Promise<void> {
  const { args, output } = context
  const path = requireArgument(args, 1, 'versions', 'a path')
  const item = requireItem((await openOwnDrive(context)).drive, path)
  if (item.kind === 'folder') throw new CairnError('NOT_A_FILE', { message: `${path} is a folder` })
  output.table(
    ['CID', 'SIZE', 'SINCE'],
    item.versions.map(({ cid, sizeBytes, at }) => [cid, formatBytes(sizeBytes), formatTime(at)]),
    item.versions,
  )
}

async function makeFolder(context: CommandContext): Promise<void> {
  const path = requireArgument(context.args, 1, 'mkdir', 'a path')
  const created = await change(context, (edit) => edit.createFolder(path))
  context.output.result({ created }, `Created ${created}`, created)
}

async function move(context: CommandContext): Promise<void> {
  const { args, output } = context
  const to = requireArgument(args, 2, 'mv', 'one or more paths and a target')
  const target = args.at(-1) ?? to
  const from = args.slice(1, -1)
  const paths = await change(context, (edit) => edit.move(from, target))
  for (const [at, path] of paths.entries()) output.result({ from: from[at], to: path }, `${from[at]} → ${path}`, path)
}

async function remove(context: CommandContext): Promise<void> {
  const { args, output } = context
  requireArgument(args, 1, 'rm', 'a path')
  const paths = args.slice(1)
  await change(context, (edit) => {
    for (const path of paths) edit.trash(path)
  })
  for (const path of paths) output.result({ deleted: path }, `Moved ${path} to the trash.`, path)
}

async function restore(context: CommandContext): Promise<void> {
  const { args, values, output } = context
  const path = requireArgument(args, 1, 'restore', 'a path or an id in the trash')
  const cid = text(values, 'cid')
  if (cid !== undefined) {
    if (args.length > 2) throw new CairnError('USAGE', { message: '--cid applies to one file' })
    await change(context, (edit) => edit.useVersion(path, cid))
    output.result({ restored: path, cid }, `${path} is ${cid} again.`, path)
    return
  }
  const paths = await change(context, (edit) => args.slice(1).map((one) => edit.restore(one)))
  for (const restored of paths) output.result({ restored }, `Restored ${restored}`, restored)
}

async function star(context: CommandContext): Promise<void> {
  const { args, values, output } = context
  requireArgument(args, 1, 'star', 'a path')
  const isStarred = !flag(values, 'off')
  const paths = args.slice(1)
  await change(context, (edit) => {
    for (const path of paths) edit.star(path, isStarred)
  })
  for (const path of paths)
    output.result({ path, isStarred }, `${isStarred ? 'Starred' : 'Removed the star from'} ${path}`, path)
}

async function tag(context: CommandContext): Promise<void> {
  const { args, values, output } = context
  const path = requireArgument(args, 1, 'tag', 'a path and tags')
  requireArgument(args, 2, 'tag', 'a path and tags')
  const tags = args.slice(2)
  const isTagged = !flag(values, 'off')
  await change(context, (edit) => {
    for (const one of tags) edit.tag(path, one, isTagged)
  })
  output.result({ path, tags, isTagged }, `${isTagged ? 'Tagged' : 'Removed from'} ${path}: ${tags.join(', ')}`, path)
}

async function colour(context: CommandContext): Promise<void> {
  const { args, values, output } = context
  const path = requireArgument(args, 1, 'colour', 'a path and a colour')
  const isOff = flag(values, 'off')
  const chosen = isOff ? undefined : requireArgument(args, 2, 'colour', 'a path and a colour')
  await change(context, (edit) => edit.setColour(path, chosen))
  output.result(
    { path, colour: chosen ?? null },
    isOff ? `Removed the colour from ${path}` : `${path} is ${chosen}`,
    path,
  )
}

async function share(context: CommandContext): Promise<void> {
  const { args, output, signal } = context
  const path = requireArgument(args, 1, 'share', 'a path and addresses')
  requireArgument(args, 2, 'share', 'a path and addresses')
  const { drive, client } = await openOwnDrive(context)
  const addresses = resolveContacts(drive, args.slice(2))
  const item = requireItem(drive, path)
  const files = drive.all().flatMap((one) => (one.kind === 'file' && isBelow(one, item) ? [one] : []))
  const encrypted = files.filter(({ isEncrypted }) => isEncrypted)
  if (encrypted.length === 0) {
    throw new CairnError('NOT_ENCRYPTED', {
      message: `${path} has no encrypted file`,
      hint: 'Anyone can open a public file by its CID: cairn drive ls --json shows it.',
    })
  }
  for (const file of encrypted) {
    const shared = await shareFile(client, file.cid, addresses, { signal })
    const what = { cid: file.cid, path: file.path, sharedTo: addresses }
    showChange(output, what, `Shared ${file.path} with ${addresses.join(', ')}.`, shared)
  }
  // Sharing alone does not start a drive.
  if (drive.known !== undefined) await drive.change((edit) => edit.markContactsUsed(addresses), { signal })
  await saveKnown(context, client, drive)
  const others = files.length - encrypted.length
  if (others > 0) output.note(`${others} public ${others === 1 ? 'file needs' : 'files need'} no sharing.`)
}

async function empty(context: CommandContext): Promise<void> {
  const { values, output, prompt, signal } = context
  const { drive, client } = await openOwnDrive(context)
  // The items that the question was about, even if another device moves more to the trash in the meantime.
  const ids = flag(values, 'all') ? drive.trash().map(({ id }) => id) : undefined
  const question =
    ids === undefined
      ? 'Delete everything that has been in the trash for 30 days, with its content?'
      : `Delete ${countOf(ids.length, 'item')} in the trash, with the content?`
  if (!flag(values, 'yes') && !(await prompt.confirm(question))) {
    output.note('Nothing was deleted.')
    throw new CairnError('ABORTED')
  }
  const emptied = await drive.emptyTrash({ signal, ...(ids === undefined ? {} : { ids }) })
  await saveKnown(context, client, drive)
  output.result(
    emptied,
    `Deleted ${countOf(emptied.items, 'item')}, ${countOf(emptied.uploads, 'upload')}.`,
    String(emptied.items),
  )
  if (emptied.kept > 0) {
    const stay = `${countOf(emptied.kept, 'item')} ${emptied.kept === 1 ? 'stays' : 'stay'} in the trash`
    output.note(`${stay}: objects in S3 buckets have the same content. Delete the objects with an S3 client.`)
  }
}

/** Starts a new drive when the key of the old one is lost. */
async function reset(context: CommandContext): Promise<void> {
  const { args, values, output, prompt, signal } = context
  const path = requireArgument(args, 1, 'reset', 'a file for the old index')
  const question =
    'Start a new drive? Folders, names, stars, tags, labels and contacts are lost. All files are kept, in the root.'
  if (!flag(values, 'yes') && !(await prompt.confirm(question))) {
    output.note('Nothing was removed.')
    throw new CairnError('ABORTED')
  }
  const client = await openKeyClient(context, { withApiKey: true })
  const old = await resetDrive(client, { signal, keep: (drive) => writePrivateFile(path, JSON.stringify(drive)) })
  await clearKnown(context, client)
  if (old === undefined) output.result({ removed: false }, 'The account has no drive. Nothing was removed.', '')
  else output.result({ removed: true, old: path }, `Removed the drive. Its encrypted index is in ${path}.`, path)
}

async function duplicates(context: CommandContext): Promise<void> {
  const { values, output, prompt, signal } = context
  const { drive, client } = await openOwnDrive(context)
  const found = drive.duplicates()
  const copies = found.flatMap((one) => one.copies)
  const bytesOf = (uploads: typeof copies) => uploads.reduce((sum, one) => sum + Number(one.fileSizeInBytes), 0)
  if (!flag(values, 'remove')) {
    output.table(
      ['COPIES', 'SIZE', 'PATH'],
      found.map(({ item, copies }) => [String(copies.length), formatBytes(bytesOf(copies)), item.path]),
      found.map(({ item, copies }) => ({ path: item.path, id: item.id, copies: copies.map(({ id }) => id) })),
      'PATH',
    )
    output.note(
      copies.length === 0
        ? 'There are no copies.'
        : `--remove deletes ${formatBytes(bytesOf(copies))} of copies. The files stay.`,
    )
    return
  }
  const question = `Delete ${copies.length === 1 ? '1 copy' : `${copies.length} copies`}, ${formatBytes(bytesOf(copies))}? The files stay.`
  if (copies.length > 0 && !flag(values, 'yes') && !(await prompt.confirm(question))) {
    output.note('Nothing was deleted.')
    throw new CairnError('ABORTED')
  }
  const removed =
    copies.length === 0
      ? { uploads: 0, bytes: 0 }
      : await drive.removeCopies({ ids: copies.map(({ id }) => id), signal })
  await saveKnown(context, client, drive)
  output.result(
    { removed: removed.uploads, bytes: removed.bytes },
    removed.uploads === 1 ? 'Deleted 1 copy.' : `Deleted ${removed.uploads} copies.`,
    String(removed.uploads),
  )
}

async function listContacts(context: CommandContext): Promise<void> {
  const { drive } = await openOwnDrive(context)
  const contacts = drive.contacts()
  context.output.table(
    ['LABEL', 'ADDRESS', 'LAST SHARED'],
    contacts.map(({ label, address, usedAt }) => [label, address, usedAt === 0 ? '–' : formatTime(usedAt)]),
    contacts.map((contact) => ({ ...contact, usedAt: contact.usedAt === 0 ? null : contact.usedAt })),
    'ADDRESS',
  )
  if (contacts.length === 0) context.output.note('No contacts. Add one: cairn drive contact <address> <label>')
}

async function setContact(context: CommandContext): Promise<void> {
  const { args, values, output } = context
  const address = requireArgument(args, 1, 'contact', 'an address and a label')
  if (flag(values, 'off')) {
    await change(context, (edit, drive) => {
      for (const one of resolveContacts(drive, [address])) edit.removeContact(one)
    })
    output.result({ removed: address }, `Removed ${address} from the contacts.`, address)
    return
  }
  const label = requireArgument(args, 2, 'contact', 'an address and a label')
  readAddress(address)
  await change(context, (edit) => edit.setContact(address, label))
  output.result({ address, label }, `${address} is ${label}.`, address)
}

/**
 * Replaces labels by their addresses. @throws CairnError INVALID_ADDRESS if several contacts have a label, or none has and it is
 * not an address
 */
function resolveContacts(drive: Drive, texts: readonly string[]): string[] {
  const contacts = drive.contacts()
  return texts.map((text) => {
    const found = contacts.filter(({ label }) => label !== '' && label.toLowerCase() === text.toLowerCase())
    if (found.length > 1) {
      throw new CairnError('INVALID_ADDRESS', { message: `${found.length} contacts have the label ${text}` })
    }
    return found[0]?.address ?? readAddress(text)
  })
}

/** Changes the drive, and remembers its new revision. */
async function change<T>(context: CommandContext, edit: (editor: Parameters<Edit>[0], drive: Drive) => T): Promise<T> {
  const { drive, client } = await openOwnDrive(context)
  const result = await drive.change((editor) => edit(editor, drive), { signal: context.signal })
  await saveKnown(context, client, drive)
  return result
}

function requireItem(drive: Drive, path: string): DriveItem {
  const item = drive.find(path)
  if (item !== undefined) return item
  throw new CairnError('PATH_NOT_FOUND', {
    message: `${path} does not exist in the drive`,
    hint: 'Run `cairn drive ls` to list a folder.',
  })
}

function isBelow(item: DriveItem, base: DriveItem): boolean {
  return item.id === base.id || item.path.startsWith(`${base.path}/`)
}

function sizeOf(item: DriveItem): string {
  return item.kind === 'folder' ? '–' : formatBytes(item.sizeBytes)
}

function marksOf(item: DriveItem): string {
  const marks = [
    item.isStarred ? '★' : '',
    item.kind === 'file' && item.isEncrypted ? 'encrypted' : '',
    item.kind === 'file' && item.versions.length > 1 ? `${item.versions.length} versions` : '',
    item.colour ?? '',
    ...item.tags.map((one) => `#${one}`),
  ]
  return marks.filter((mark) => mark !== '').join(' ')
}

function requireArgument(args: readonly string[], at: number, action: string, what: string): string {
  const value = args[at]
  if (value !== undefined) return value
  throw new CairnError('USAGE', {
    message: `drive ${action} requires ${what}`,
    hint: 'Run cairn drive --help for usage.',
  })
}

const actions: Actions = {
  ls: list,
  mkdir: makeFolder,
  mv: move,
  rm: remove,
  restore,
  star,
  tag,
  colour,
  versions,
  share,
  duplicates,
  contacts: listContacts,
  contact: setContact,
  empty,
  reset,
}

export const drive = actionCommand(actions, {
  name: 'drive',
  summary: 'Arrange your files in folders, with stars, tags, versions, a trash and contacts',
  usage: '[path…]',
  arity: [1, Number.POSITIVE_INFINITY],
  maxArguments: { ls: 2, mkdir: 2, colour: 3, versions: 2, duplicates: 1, contacts: 1, contact: 3, empty: 1, reset: 2 },
  options: {
    trash: { type: 'boolean', actions: ['ls'], about: 'list the trash, for ls' },
    starred: { type: 'boolean', actions: ['ls'], about: 'list starred items in all folders below, for ls' },
    tag: {
      type: 'string',
      actions: ['ls'],
      about: 'list items with this tag in all folders below, for ls',
      value: 'tag',
    },
    off: {
      type: 'boolean',
      actions: ['star', 'tag', 'colour', 'contact'],
      about: 'remove it, for star, tag, colour and contact',
    },
    cid: { type: 'string', actions: ['restore'], about: 'version to make current again, for restore', value: 'cid' },
    all: { type: 'boolean', actions: ['empty'], about: 'delete everything in the trash now, for empty' },
    remove: { type: 'boolean', actions: ['duplicates'], about: 'delete the copies, for duplicates' },
    yes: { type: 'boolean', short: 'y', about: 'skip the confirmation, for empty, duplicates and reset' },
  },
  examples: [
    'cairn drive mkdir photos',
    'cairn drive mv sunset.jpg beach.jpg photos',
    'cairn drive ls photos',
    'cairn drive tag photos/sunset.jpg summer',
    'cairn drive rm photos/beach.jpg',
    'cairn drive restore photos/beach.jpg',
    'cairn drive contact 0x7099… ida',
    'cairn drive share photos ida',
    'cairn drive duplicates --remove',
  ],
})
