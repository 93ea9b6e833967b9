import {
  CairnError,
  type Client,
  createName,
  createNameKey,
  listNameHistory,
  listNames,
  type NameRecord,
  type NameState,
  type PastRecord,
  type PublishOptions,
  publishName,
  publishSigned,
  removeName,
  renameName,
  resolveName,
} from '@cairn/sdk'
import { type Command, flag, pickAction, type Surroundings, text } from '../command.ts'
import { findNamePath } from '../content-path.ts'
import { parseDuration } from '../durations.ts'
import { findName, isNameForm, requireFreeLabel } from '../find-name.ts'
import { exportKey, importKey, keepKey } from '../move-name-keys.ts'
import { argument, clientOf, quote, readLabel } from '../name-arguments.ts'
import { type KeptNameKey, openKept, openNameKeys, titleOf } from '../name-keys.ts'

async function urlOf({ session }: Surroundings, name: string): Promise<string> {
  return `${(await session.network()).gateway.replace(/\/+$/, '')}/ipns/${name}`
}

function moment(ms: number | null): string {
  return ms === null ? '–' : new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}

async function create(surroundings: Surroundings): Promise<void> {
  const { session, output, values, signal } = surroundings
  const isLocal = flag(values, 'local')
  if (flag(values, 'encrypt') && !isLocal) {
    throw new CairnError('USAGE', {
      message: '--encrypt is for keys on this machine',
      hint: 'Give --local as well. The service seals the keys that it keeps.',
    })
  }
  const label = readLabel(surroundings, 1)
  if (isLocal) return keepKey(surroundings, await createNameKey(), label)
  const client = await session.client()
  if (label !== undefined) await requireFreeLabel(surroundings, client, label)
  const made = await createName(client, { label, signal })
  output.result({ ...made, key: 'service' }, made.name)
  output.note(`Publish: cairn name publish ${quote(label ?? made.name)} <cid>`)
}

async function publish(surroundings: Surroundings): Promise<void> {
  const { session, output, values, signal } = surroundings
  const target = argument(surroundings, 2, 'a name and what it points to')
  const value = (await findNamePath(surroundings, target)) ?? target
  const [lifetime, ttl] = [text(values, 'lifetime'), text(values, 'ttl')]
  const options = {
    signal,
    ...(lifetime === undefined ? {} : { lifetimeMs: parseDuration(lifetime) }),
    ...(ttl === undefined ? {} : { ttlMs: parseDuration(ttl) }),
  }
  const found = await findName(surroundings, argument(surroundings, 1, 'a name'))
  const record =
    found.place === 'here'
      ? await publishKept(surroundings, found.kept, value, options)
      : await publishName(await session.client(), found.name, value, options)
  const url = await urlOf(surroundings, record.name)
  const json = { ...describeRecord(record), url, key: found.place === 'here' ? 'here' : 'service' }
  output.result(json, [`${record.name} → ${record.value}`, url], record.name)
  if (found.place === 'here') {
    output.note(
      `Good until ${moment(record.validUntil)}: publish again before. Only the key of ${titleOf(found.kept)}, on this machine, can.`,
    )
  }
}

async function publishKept(
  surroundings: Surroundings,
  kept: KeptNameKey,
  value: string,
  options: PublishOptions,
): Promise<NameRecord> {
  const client = await clientOf(surroundings)
  const label = client.apiKey === undefined || kept.label === null ? {} : { label: kept.label }
  return publishSigned(client, await openKept(kept, surroundings.prompt), value, { ...options, ...label })
}

function describeRecord({ name, value, sequence, validUntil, ttlMs, bytes }: NameRecord) {
  const record = Buffer.from(bytes).toString('base64')
  return { name, value, sequence: sequence.toString(), validUntil, ttlMs, record }
}

async function list(surroundings: Surroundings): Promise<void> {
  const { state, output, signal } = surroundings
  const kept = await openNameKeys(state.folder).list()
  const client = await clientOf(surroundings)
  const states: NameState[] = []
  if (client.apiKey !== undefined) for await (const one of listNames(client, { signal })) states.push(one)
  const placeOf = ({ name, keyHeld }: NameState) =>
    kept.some((one) => one.name === name) ? 'here' : keyHeld === 'service' ? 'service' : 'elsewhere'
  const onlyHere = kept.filter(({ name }) => states.every((one) => one.name !== name))
  const rows = [
    ...states.map((one) => ({ ...one, key: placeOf(one) })),
    ...onlyHere.map(({ name, label }) => ({ name, label, value: null, validUntil: null, key: 'here' })),
  ]
  output.table(
    ['LABEL', 'KEY', 'ENDS', 'NAME', 'POINTS TO'],
    rows.map((row) => {
      // What the service signs it also renews.
      const ends = row.key === 'service' && row.validUntil !== null ? 'renewed' : moment(row.validUntil)
      return [row.label ?? '–', row.key, ends, row.name, row.value ?? '–']
    }),
    rows,
    'NAME',
  )
  if (rows.length === 0) output.note('No names yet. Make one: cairn name create')
}

async function resolve(surroundings: Surroundings): Promise<void> {
  const { session, output, values, signal } = surroundings
  const wanted = argument(surroundings, 1, 'a name')
  const name = isNameForm(wanted) ? wanted : (await findName(surroundings, wanted)).name
  const found = await resolveName(await session.anonymous(), name, { signal, recursive: !flag(values, 'once') })
  const json = { ...found, sequence: found.sequence.toString(), records: found.records.map(describeRecord) }
  output.result(json, found.value)
  output.note(
    `Verified by ${found.records.length === 1 ? 'the signature of its key' : `the signatures of ${found.records.length} keys`}, good until ${moment(found.validUntil)}.`,
  )
}

async function history(surroundings: Surroundings): Promise<void> {
  const { session, output, values, signal } = surroundings
  const most = readCount(text(values, 'limit') ?? '20')
  const { name } = await findName(surroundings, argument(surroundings, 1, 'a name'))
  const records: PastRecord[] = []
  for await (const record of listNameHistory(await session.client(), name, { signal })) {
    if (records.push(record) >= most) break
  }
  output.table(
    ['SEQUENCE', 'PUBLISHED', 'ENDS', 'POINTED TO'],
    records.map((one) => [one.sequence.toString(), moment(one.publishedAt), moment(one.validUntil), one.value]),
    records.map((one) => ({ ...describeRecord(one), publishedAt: one.publishedAt })),
    'POINTED TO',
  )
}

function readCount(value: string): number {
  const count = Number(value)
  if (Number.isInteger(count) && count > 0) return count
  throw new CairnError('USAGE', { message: '--limit is a whole number above zero' })
}

async function rename(surroundings: Surroundings): Promise<void> {
  const { state, output, signal } = surroundings
  argument(surroundings, 2, 'a name and its new label')
  const label = readLabel(surroundings, 2) ?? null
  const found = await findName(surroundings, argument(surroundings, 1, 'a name'))
  if (label !== null) await requireFreeLabel(surroundings, await clientOf(surroundings), label)
  if (found.place === 'here') await openNameKeys(state.folder).rename(found.kept, label)
  await onAccount(surroundings, found.place, (client) => renameName(client, found.name, label, { signal }))
  output.result({ name: found.name, label }, `${found.name} is called ${JSON.stringify(label)}`, found.name)
}

/** Does something about a name with the account, which need not know one whose key is on this machine. */
async function onAccount(
  surroundings: Surroundings,
  place: 'here' | 'account',
  change: (client: Client) => Promise<unknown>,
): Promise<void> {
  const client = await clientOf(surroundings)
  if (place === 'here' && client.apiKey === undefined) return
  try {
    await change(client)
  } catch (error) {
    if (place === 'account' || !CairnError.is(error, 'NAME_NOT_FOUND')) throw error
  }
}

async function remove(surroundings: Surroundings): Promise<void> {
  const { state, output, prompt, values, signal } = surroundings
  const found = await findName(surroundings, argument(surroundings, 1, 'a name'))
  const isDestroyed = found.place === 'here' || found.state.keyHeld === 'service'
  const loss = isDestroyed ? ' Its key is destroyed: without an export nobody can ever publish it again.' : ''
  if (!flag(values, 'yes') && !(await prompt.confirm(`Remove ${found.name}?${loss}`))) {
    output.note('The name stays.')
    throw new CairnError('ABORTED')
  }
  await onAccount(surroundings, found.place, (client) => removeName(client, found.name, { signal }))
  if (found.place === 'here') await openNameKeys(state.folder).forget(found.name)
  output.result({ removed: found.name }, `Removed ${found.name}`, found.name)
}

const actions: Record<string, (surroundings: Surroundings) => Promise<void>> = {
  create,
  publish,
  list,
  resolve,
  history,
  export: exportKey,
  import: importKey,
  rename,
  rm: remove,
}

export const name: Command = {
  name: 'name',
  summary: 'Names (IPNS) that can point to something else tomorrow',
  usage: `<${Object.keys(actions).join('|')}> [name or file] [cid, path or label]`,
  arity: [1, 3],
  words: Object.keys(actions),
  options: {
    local: { type: 'boolean', about: 'create: the key stays on this machine' },
    encrypt: { type: 'boolean', about: 'create --local, import: lock the key with a password' },
    lifetime: { type: 'string', value: 'time', about: 'publish: how long the record is good for (48h)' },
    ttl: { type: 'string', value: 'time', about: 'publish: how long readers may keep it (5m)' },
    once: { type: 'boolean', about: 'resolve: do not follow names that lead to names' },
    limit: { type: 'string', value: 'n', about: 'history: at most so many (20)' },
    format: {
      type: 'string',
      value: 'format',
      choices: ['pem', 'libp2p'],
      about: 'export: pem or libp2p, which `ipfs key import` reads (pem)',
    },
    output: { type: 'string', short: 'o', value: 'path', about: 'export: write the key to a file' },
    yes: { type: 'boolean', short: 'y', about: 'rm: do not ask' },
  },
  examples: [
    'cairn name create site',
    'cairn name publish site bafy…',
    'cairn name resolve k51…',
    'cairn name create --local --encrypt mine',
    'cairn name export site -o site.key --format libp2p',
  ],
  run: (surroundings) => pickAction('name', actions, surroundings.args[0])(surroundings),
}
