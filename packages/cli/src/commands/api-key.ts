import {
  CairnError,
  type Client,
  createApiKey,
  createClient,
  getUsage,
  listApiKeys,
  revokeApiKey,
  scopes,
} from '@cairn/sdk'
import { type Actions, actionCommand } from '../action-command.ts'
import { parseExpiry, parseScopes } from '../arguments/key-rights.ts'
import { type CommandContext, flag, text } from '../command.ts'
import { describeFailure } from '../describe-failure.ts'
import { openWallet } from '../keys/open-wallet.ts'
import { requireKeyForm } from '../session.ts'
import type { KeptKey } from '../state/state.ts'
import { formatTime } from '../text/times.ts'

async function make(context: CommandContext): Promise<void> {
  const { state, session, output, values, signal } = context
  const rights = {
    scopes: parseScopes(text(values, 'scope')),
    expiresAt: parseExpiry(text(values, 'expires') ?? '90d', Date.now()),
  }
  const client = await session.anonymous()
  const { wallet: testWallet } = client.network
  const usesTestWallet = (await state.readWallet()) === undefined && testWallet !== undefined
  const { address, privateKey } = usesTestWallet ? testWallet : await openWallet(context)
  if (usesTestWallet) output.note(`Signing with the local network's test wallet ${testWallet.address}.`)
  const isKept = !flag(values, 'print-only')
  // A file that cannot be read is reported before there is a key.
  if (isKept) await state.readKeys()
  const key = await createApiKey(
    client,
    { privateKey },
    { name: text(values, 'name') ?? 'cairn command line', ...rights },
    { signal },
  )
  const saving = isKept ? keep(context, client.network.api, { key, address: address.toLowerCase() }) : undefined
  // The only copy of the key is printed, whether or not it can be saved.
  const [saved] = await Promise.allSettled([saving])
  output.result({ apiKey: key, ...rights }, key)
  const end = rights.expiresAt === null ? 'It never expires' : `It expires ${formatTime(rights.expiresAt)}`
  output.note(`${end}. Anyone with this key can use ${rights.scopes.join(', ')}. It is shown only once.`)
  if (saved.status === 'rejected') throw notSaved(saved.reason)
}

function notSaved(cause: unknown): CairnError {
  const { message } = describeFailure(cause)
  return new CairnError('FILE_UNREADABLE', {
    message: `The new key was created, but could not be saved. ${message}`,
    hint: 'Save it with `cairn api-key import` once the problem is solved, or revoke it.',
    cause,
  })
}

/** Stores an API key for a network; notes the key of another account that it replaces. */
async function keep({ state, output }: CommandContext, api: string, key: KeptKey): Promise<void> {
  const before = await state.readKey(api)
  await state.writeKey(api, key)
  if (before?.address !== undefined && before.address !== key.address)
    output.note(`It replaces the key for ${before.address}, which stays valid until it expires or is revoked.`)
}

async function importKey(context: CommandContext): Promise<void> {
  const { args, values, prompt, session, output, signal } = context
  if (args[1] !== undefined)
    throw new CairnError('USAGE', {
      message: 'Command-line arguments are visible to other users',
      hint: 'Run the command without the key and type it at the prompt, or use --api-key-file or --password-stdin.',
    })
  const fromFile = text(values, 'api-key-file') === undefined ? undefined : await session.keptKey()
  const given = fromFile ?? (await prompt.secret('API key', { hint: 'Use --api-key-file or --password-stdin.' }))
  const key = requireKeyForm(given, 'The input')
  const network = await session.network()
  await requireAccepted(createClient({ network, apiKey: key }), signal)
  await keep(context, network.api, { key })
  output.result({ imported: true }, `Saved for ${network.api}.`, network.api)
}

/**
 * Asks the service about a key, which would otherwise replace one that works.
 * @throws CairnError UNAUTHENTICATED, API_KEY_EXPIRED, API_KEY_REVOKED
 */
async function requireAccepted(client: Client, signal: AbortSignal): Promise<void> {
  try {
    await getUsage(client, { signal })
  } catch (error) {
    // A key without the scope is valid.
    if (CairnError.is(error, 'FORBIDDEN')) return
    if (!CairnError.is(error, 'UNAUTHENTICATED')) throw error
    throw new CairnError('UNAUTHENTICATED', {
      message: `${client.network.api} does not accept this API key, which was not saved`,
      hint: 'Check that the key is complete and belongs to this network, or run `cairn api-key new`.',
      cause: error,
    })
  }
}

async function show({ session, output }: CommandContext): Promise<void> {
  const key = await session.keptKey()
  if (key === undefined) throw new CairnError('NO_API_KEY')
  output.result({ apiKey: key, api: (await session.network()).api }, key)
}

async function list({ session, output, signal }: CommandContext): Promise<void> {
  const keys = await listApiKeys(await session.client(), { signal })
  output.table(
    ['ID', 'NAME', 'SCOPES', 'CREATED', 'LAST USED', 'EXPIRES'],
    keys.map((key) => [
      key.id,
      key.name,
      key.scopes.join(' '),
      formatTime(key.createdAt),
      formatTime(key.lastUsedAt),
      formatTime(key.expiresAt),
    ]),
    keys,
  )
}

async function revoke({ args, session, output, signal }: CommandContext): Promise<void> {
  const id = args[1]
  if (id === undefined)
    throw new CairnError('USAGE', {
      message: 'api-key revoke requires the id of a key',
      hint: 'Run `cairn api-key list` to list the ids.',
    })
  await revokeApiKey(await session.client(), id, { signal })
  output.result({ revoked: id }, `Revoked ${id}.`, id)
}

async function clear({ state, session, output }: CommandContext): Promise<void> {
  const { api } = await session.network()
  await state.clearKey(api)
  output.result(
    { removed: true },
    `The key for ${api} was removed from this machine. It stays valid until it is revoked.`,
    api,
  )
}

const actions: Actions = {
  new: make,
  import: importKey,
  show,
  list,
  revoke,
  clear,
}

export const apiKey = actionCommand(actions, {
  name: 'api-key',
  summary: 'Create, import, show, list, revoke or clear API keys',
  usage: '[id]',
  arity: [1, 2],
  maxArguments: { new: 1, show: 1, list: 1, clear: 1 },
  options: {
    name: { type: 'string', actions: ['new'], about: 'name of the new key', value: 'text' },
    scope: {
      type: 'string',
      actions: ['new'],
      about: 'scopes of the new key, separated by commas (all)',
      value: 'scopes',
      choices: scopes,
    },
    expires: {
      type: 'string',
      actions: ['new'],
      about: 'expiry of the new key: 30d, 2027-01-31 or never (90d)',
      value: 'when',
      choices: ['30d', '90d', 'never'],
    },
    'print-only': { type: 'boolean', actions: ['new'], about: 'do not save the new key' },
  },
  examples: [
    'cairn api-key new --name laptop',
    'cairn api-key new --print-only --scope files:read --expires 30d',
    'cairn api-key list',
    'cairn api-key revoke 3f9a01bc',
  ],
})
