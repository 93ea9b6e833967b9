import { CairnError, createApiKey, listApiKeys, revokeApiKey, scopes } from '@cairn/sdk'
import { type Command, flag, pickAction, type Surroundings, text } from '../command.ts'
import { parseExpiry, parseScopes } from '../key-rights.ts'
import type { KeptKey } from '../state.ts'
import { openWallet } from './wallet.ts'

async function make(surroundings: Surroundings): Promise<void> {
  const { state, session, output, values, signal } = surroundings
  const rights = {
    scopes: parseScopes(text(values, 'scope')),
    expiresAt: parseExpiry(text(values, 'expires') ?? '90d', Date.now()),
  }
  const client = await session.anonymous()
  const { wallet: testWallet } = client.network
  const usesTestWallet = (await state.readWallet()) === undefined && testWallet !== undefined
  const { address, privateKey } = usesTestWallet ? testWallet : await openWallet(surroundings)
  if (usesTestWallet) output.note(`Signing with the local network's test wallet ${testWallet.address}.`)
  const key = await createApiKey(
    client,
    { privateKey },
    { name: text(values, 'name') ?? 'cairn command line', ...rights },
    { signal },
  )
  if (!flag(values, 'print-only')) await keep(surroundings, client.network.api, { key, address: address.toLowerCase() })
  output.result({ apiKey: key, ...rights }, key)
  const end = rights.expiresAt === null ? 'It never expires' : `It expires ${date(rights.expiresAt)}`
  output.note(`${end}. Anyone who has it may use ${rights.scopes.join(', ')}. It is shown this once.`)
}

/** Keeps a key for a network; one of another account that it takes the place of is named. */
async function keep({ state, output }: Surroundings, api: string, key: KeptKey): Promise<void> {
  const before = await state.readKey(api)
  await state.writeKey(api, key)
  if (before?.address !== undefined && before.address !== key.address)
    output.note(
      `It takes the place of the key for ${before.address}, which stays valid until it expires or is revoked.`,
    )
}

async function importKey(surroundings: Surroundings): Promise<void> {
  const { args, values, prompt, session, output } = surroundings
  if (args[1] !== undefined)
    throw new CairnError('USAGE', {
      message: 'Arguments can be seen by others',
      hint: 'Run it without the key: it asks, or takes it by --api-key-file or --password-stdin.',
    })
  const fromFile = text(values, 'api-key-file') === undefined ? undefined : await session.keptKey()
  const key = (fromFile ?? (await prompt.secret('API key'))).trim()
  if (key === '' || /\s/.test(key)) throw new CairnError('USAGE', { message: 'That is no API key: it is one word' })
  const { api } = await session.network()
  await keep(surroundings, api, { key })
  output.result({ imported: true }, `Kept for ${api}.`, api)
}

async function show({ session, output }: Surroundings): Promise<void> {
  const key = await session.keptKey()
  if (key === undefined) throw new CairnError('NO_API_KEY')
  output.result({ apiKey: key, api: (await session.network()).api }, key)
}

async function list({ session, output, signal }: Surroundings): Promise<void> {
  const keys = await listApiKeys(await session.client(), { signal })
  output.table(
    ['ID', 'NAME', 'SCOPES', 'CREATED', 'LAST USED', 'EXPIRES'],
    keys.map((key) => [
      key.id,
      key.name,
      key.scopes.join(' '),
      date(key.createdAt),
      date(key.lastUsedAt),
      date(key.expiresAt),
    ]),
    keys,
  )
}

function date(time: number | null): string {
  return time === null ? '–' : new Date(time).toISOString().slice(0, 16).replace('T', ' ')
}

async function revoke({ args, session, output, signal }: Surroundings): Promise<void> {
  const id = args[1]
  if (id === undefined)
    throw new CairnError('USAGE', {
      message: 'api-key revoke needs the id of a key',
      hint: 'See `cairn api-key list`.',
    })
  await revokeApiKey(await session.client(), id, { signal })
  output.result({ revoked: id }, `Revoked ${id}.`, id)
}

async function forget({ state, session, output }: Surroundings): Promise<void> {
  const { api } = await session.network()
  await state.forgetKey(api)
  output.result(
    { forgotten: true },
    `The key for ${api} was removed from this machine. It still works elsewhere: revoke it to end it.`,
    api,
  )
}

const actions: Record<string, (surroundings: Surroundings) => Promise<void>> = {
  new: make,
  import: importKey,
  show,
  list,
  revoke,
  forget,
}

export const apiKey: Command = {
  name: 'api-key',
  summary: 'Make, import, show, list, revoke or forget API keys',
  usage: `<${Object.keys(actions).join('|')}> [id]`,
  arity: [1, 2],
  words: Object.keys(actions),
  options: {
    name: { type: 'string', about: 'name of the new key in lists', value: 'text' },
    scope: {
      type: 'string',
      about: 'what the new key may do, separated by commas (all)',
      value: 'scopes',
      choices: scopes,
    },
    expires: {
      type: 'string',
      about: 'when the new key expires: 30d, 2027-01-31 or never (90d)',
      value: 'when',
      choices: ['30d', '90d', 'never'],
    },
    'print-only': { type: 'boolean', about: 'do not keep the new key' },
  },
  examples: [
    'cairn api-key new --name laptop',
    'cairn api-key new --print-only --scope files:read --expires 30d',
    'cairn api-key list',
    'cairn api-key revoke 3f9a01bc',
  ],
  run: (surroundings) => pickAction('api-key', actions, surroundings.args[0])(surroundings),
}
