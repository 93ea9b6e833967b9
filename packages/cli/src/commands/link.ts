import { access, constants, lstat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { formatBytes, maxLinkLifetimeMs } from '@cairn/protocol'
import {
  CairnError,
  createClient,
  createKeySet,
  createLink,
  type DownloadResult,
  decryptFile,
  decryptFolder,
  inspectLink,
  isFolder,
  listLinks,
  loadNetwork,
  openLink,
  restoreError,
  revokeLink,
} from '@cairn/sdk'
import { type Actions, actionCommand } from '../action-command.ts'
import { readDuration } from '../arguments/durations.ts'
import { type CommandContext, flag, text } from '../command.ts'
import { describeFailure } from '../describe-failure.ts'
import { openKeyClient } from '../keys/key-client.ts'
import { writeKeySet } from '../keys/write-key-set.ts'
import { quote } from '../names/name-arguments.ts'
import { formatTime } from '../text/times.ts'

/** The password of a link is not that of the wallet. */
const linkPasswordHint = 'Use --password-stdin.'

async function create(context: CommandContext): Promise<void> {
  const { args, values, output, prompt, signal } = context
  const cid = requireArgument(args, 'create', 'the CID of an encrypted file')
  const lifetimeMs = readDuration(values, 'expires', { minMs: 1000, maxMs: maxLinkLifetimeMs })
  const opens = text(values, 'opens')
  const [name, label] = [text(values, 'name'), text(values, 'label')]
  const password = flag(values, 'password')
    ? await prompt.secret('Password of the link', { twice: true, hint: linkPasswordHint })
    : undefined
  const link = await createLink(
    await openKeyClient(context, { withApiKey: true }),
    cid,
    {
      ...(lifetimeMs === undefined ? {} : { expiresAt: Date.now() + lifetimeMs }),
      ...(opens === undefined ? {} : { maxOpens: parseOpens(opens) }),
      ...(password === undefined ? {} : { password }),
      ...(name === undefined ? {} : { name }),
      ...(label === undefined ? {} : { label }),
    },
    { signal },
  )
  const end = formatTime(link.expiresAt)
  output.result(link, [link.url, `ID       ${link.id}`, `Expires  ${end}`, `Opens    ${link.maxOpens}`], link.url)
  output.note('The link contains the key and is shown only once.')
}

async function list({ session, output, signal }: CommandContext): Promise<void> {
  const links = await listLinks(await session.client(), { signal })
  output.table(
    ['ID', 'STATE', 'OPENS', 'EXPIRES', 'CID', 'LABEL'],
    links.map(({ id, state, opens, maxOpens, expiresAt, cid, label }) => [
      id,
      state,
      `${opens}/${maxOpens}`,
      formatTime(expiresAt),
      cid,
      label,
    ]),
    links,
  )
  if (links.length === 0) output.note('No links yet. Create one: cairn link create <cid>')
}

async function remove({ args, session, output, signal }: CommandContext): Promise<void> {
  const id = requireArgument(args, 'rm', 'the id of a link')
  await revokeLink(await session.client(), id, { signal })
  output.result({ revoked: id }, `Revoked ${id}.`, id)
  output.note('People who opened it may have kept the file.')
}

async function open({ args, values, session, output, prompt, signal }: CommandContext): Promise<void> {
  const url = requireArgument(args, 'open', 'a link')
  const { origin } = URL.parse(url) ?? {}
  const known = await session.network().catch((error: unknown) => {
    // A machine that was never set up opens links too.
    if (origin === undefined) throw error
  })
  const own = origin === undefined || new URL(known?.api ?? 'none:').origin === origin ? known : undefined
  const client = createClient({ network: own ?? (await loadNetwork(origin, { signal })) })
  const { needsPassword } = await inspectLink(client, url, { signal })
  const overwrite = flag(values, 'force')
  const wanted = text(values, 'output')
  // The open counts even if nothing can be written, and it may be the last one.
  await requireWritable(wanted, overwrite)
  const password = needsPassword ? await prompt.secret('Password of the link', { hint: linkPasswordHint }) : undefined
  const { cid, masterKey, name, owner } = await openLink(client, url, {
    signal,
    ...(password === undefined ? {} : { password }),
  })
  // The name is from another person: only its last part is used, and it neither hides the file nor replaces another one.
  const given = basename((name ?? '').replaceAll('\\', '/'))
  const isUsable = given !== '' && !given.startsWith('.') && !(await exists(given))
  const target = wanted ?? (isUsable ? given : cid)
  const options = { masterKey, signal, overwrite }
  const download = async (): Promise<DownloadResult> => {
    const decrypt = (await isFolder(client, cid, { signal })) ? decryptFolder : decryptFile
    return output.withProgress(target, (progress) => decrypt(client, cid, target, { ...options, ...progress }))
  }
  const result = await download().catch(async (error: unknown) => {
    throw await keepKey(
      { output, signal },
      { cid, masterKey, target, network: own === undefined ? origin : undefined },
      error,
    )
  })
  output.result({ ...result, cid, owner }, `${target}  ${formatBytes(result.sizeBytes)}  shared by ${owner}`, target)
}

/**
 * Saves the key of an opened link whose download failed: the open counted, and it may have been the last one.
 * @param opened `network` is the address of the network, if this machine uses another
 * @returns the error, with the command that continues
 */
async function keepKey(
  { output, signal }: Pick<CommandContext, 'output' | 'signal'>,
  { cid, masterKey, target, network }: { cid: string; masterKey: string; target: string; network: string | undefined },
  error: unknown,
): Promise<unknown> {
  const path = `${target}.key.json`
  try {
    await writeKeySet(path, createKeySet(cid, masterKey))
  } catch {
    // The error of the download says more, such as that the disk is full.
    return error
  }
  const words = ['cairn get', cid, '--key-file', quote(path), '-o', quote(target), '--force']
  const command = [...words, ...(network === undefined ? [] : ['--network', network])].join(' ')
  const rest = `The open counted, so the key is in ${path}. To continue without another open: ${command}`
  if (signal.aborted) output.note(`Stopped. ${rest}`)
  const { code, message, hint, details } = describeFailure(error)
  return restoreError(code, { message, hint: `${hint} ${rest}`, details, cause: error })
}

/**
 * @param target undefined for a name in the current folder that the link contains
 * @throws CairnError FILE_EXISTS; errors of the system for a folder that is missing or read-only
 */
async function requireWritable(target: string | undefined, overwrite: boolean): Promise<void> {
  if (target !== undefined && !overwrite && (await exists(target)))
    throw new CairnError('FILE_EXISTS', {
      message: `${target} already exists`,
      hint: 'Choose another target, or use --force. The link was not opened.',
    })
  await access(target === undefined ? '.' : dirname(resolve(target)), constants.W_OK)
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

function parseOpens(given: string): number {
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given)
  throw new CairnError('USAGE', {
    message: `"${given}" is not a number of opens`,
    hint: 'Use a whole number, such as 1, 10 or 100.',
  })
}

function requireArgument(args: readonly string[], action: string, what: string): string {
  const [, value] = args
  if (value !== undefined) return value
  throw new CairnError('USAGE', {
    message: `link ${action} requires ${what}`,
    hint: 'Run `cairn link ls` to list the ids.',
  })
}

const actions: Actions = { create, ls: list, rm: remove, open }

export const link = actionCommand(actions, {
  name: 'link',
  summary: 'Share an encrypted file with a link, for people without a wallet',
  usage: '[cid|id|link]',
  arity: [1, 2],
  maxArguments: { ls: 1 },
  options: {
    expires: { type: 'string', actions: ['create'], about: 'lifetime for create (7d)', value: 'duration' },
    opens: {
      type: 'string',
      actions: ['create'],
      about: 'how often it can be opened, for create (100)',
      value: 'number',
    },
    password: { type: 'boolean', actions: ['create'], about: 'ask for a password, for create' },
    name: { type: 'string', actions: ['create'], about: 'name of the file for visitors, for create', value: 'name' },
    label: { type: 'string', actions: ['create'], about: 'label in your list, for create', value: 'text' },
    output: {
      type: 'string',
      actions: ['open'],
      short: 'o',
      about: 'target path for open (the name of the file, or the CID if that exists or is hidden)',
      value: 'path',
    },
    force: { type: 'boolean', actions: ['open'], short: 'f', about: 'overwrite an existing target, for open' },
  },
  examples: [
    'cairn link create bafy… --expires 24h --opens 3',
    'cairn link create bafy… --password',
    'cairn link ls',
    'cairn link rm <id>',
    "cairn link open 'https://…/link/…#…' -o photo.jpg",
  ],
})
