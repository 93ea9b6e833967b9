import { basename } from 'node:path'
import { formatBytes, joinUrl, withoutTrailing } from '@cairn/protocol'
import { CairnError, type Client, changeFolder, type FolderChanges, getFileInfo, resolveName } from '@cairn/sdk'
import { type Actions, actionCommand } from '../action-command.ts'
import { type CommandContext, flag, text } from '../command.ts'
import { findNamePath, readContentArgument } from '../content-path.ts'
import { findName } from '../names/find-name.ts'
import { publishFound } from '../names/publish-found.ts'
import { gatherLeftOut } from '../uploads/left-out.ts'

/** The folder to change, and the name that points to it. */
type Target = { cidPath: string; name?: string; sequence?: bigint }

async function put(context: CommandContext): Promise<void> {
  const { args } = context
  const [, , path, at] = args
  if (path === undefined) throw new CairnError('USAGE', { message: 'folder put requires a file or folder to add' })
  await change(context, { put: path, at: at ?? basename(path) })
}

async function remove(context: CommandContext): Promise<void> {
  const [, , ...paths] = context.args
  if (paths.length === 0) throw new CairnError('USAGE', { message: 'folder rm requires paths in the folder' })
  await change(context, { remove: paths })
}

async function change(context: CommandContext, changes: FolderChanges): Promise<void> {
  const { session, output, values, signal } = context
  const target = await findTarget(context)
  // A name of another account is refused before anything is stored.
  const found =
    target.name === undefined || flag(values, 'no-publish') ? undefined : await findName(context, target.name)
  const client = await session.client()
  const name = text(values, 'name') ?? (await findUploadName(client, target.cidPath, signal))
  const { paths, facts, onLeftOut } = gatherLeftOut()
  const options = { signal, onLeftOut, ...(name === undefined ? {} : { name }) }
  const result = await output.withProgress(typeof changes.put === 'string' ? changes.put : 'folder', (progress) =>
    changeFolder(client, target.cidPath, changes, { ...options, ...progress }),
  )
  for (const entry of paths) output.note(`Left out ${entry}: not a file, a folder or a symbolic link`)
  const url = joinUrl(client.network.gateway, `/ipfs/${result.cid}`)
  const line = `${result.cid}  ${result.name}  ${formatBytes(result.sizeBytes)} sent`
  const show = (published?: string) =>
    output.result(
      { ...result, ...facts(), url, ...(published === undefined ? {} : { published }) },
      [line, url, ...(published === undefined ? [] : [`${published} → /ipfs/${result.cid}`])],
      result.cid,
    )
  try {
    // Refused if the name was published in the meantime.
    const sequence = (target.sequence ?? 0n) + 1n
    if (found !== undefined) await publishFound(context, found, `/ipfs/${result.cid}`, { signal, sequence })
  } catch (error) {
    // The changed copy is stored.
    show()
    throw error
  }
  show(found?.name)
}

/** Returns the name under which a folder was uploaded; undefined for a folder in it, and if no upload has this root. */
async function findUploadName(client: Client, cidPath: string, signal: AbortSignal): Promise<string | undefined> {
  const cid = withoutTrailing(cidPath.replace(/^\/ipfs\//, ''), '/')
  if (cid.includes('/')) return undefined
  try {
    return (await getFileInfo(client, cid, { signal })).fileName
  } catch (error) {
    if (CairnError.is(error, 'NOT_FOUND')) return undefined
    throw error
  }
}

/** @throws CairnError USAGE, NAME_NOT_FOUND, INVALID_CID */
async function findTarget(context: CommandContext): Promise<Target> {
  const { args, session, output, signal } = context
  const argument = readContentArgument(args[1] ?? '')
  const namePath = await findNamePath(context, argument)
  if (namePath === undefined) return { cidPath: argument.replace(/^ipfs:\/\//, '') }
  const [name = '', ...below] = namePath.replace(/^(?:\/ipns\/|ipns:\/\/)/, '').split('/')
  if (below.length > 0) {
    throw new CairnError('USAGE', {
      message: `Name the folder itself, not a path in it: ${argument}`,
      hint: 'The paths to put or remove follow it.',
    })
  }
  const { value, sequence } = await resolveName(await session.anonymous(), name, { signal, recursive: false })
  if (!value.startsWith('/ipfs/')) {
    throw new CairnError('USAGE', {
      message: `The name points to another name: ${value}`,
      hint: 'Use that name instead.',
    })
  }
  output.note(`Verified: the name points to ${value}`)
  return { cidPath: value.slice('/ipfs/'.length), name, sequence }
}

const actions: Actions = { put, rm: remove }

export const folder = actionCommand(actions, {
  name: 'folder',
  summary: 'Change a stored folder without uploading all of it, and print the new CID',
  usage: '<cid|name> <path…>',
  arity: [2, Number.POSITIVE_INFINITY],
  options: {
    name: {
      type: 'string',
      short: 'n',
      about: 'name of the changed folder in listings (the name of the folder)',
      value: 'name',
    },
    'no-publish': { type: 'boolean', about: 'do not point the name to the changed folder' },
  },
  examples: [
    'cairn folder put site ./index.html',
    'cairn folder put bafy… ./photos pictures/2026',
    'cairn folder put site ./build .',
    'cairn folder rm site drafts old.html',
  ],
})
