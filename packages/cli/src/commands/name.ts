import { joinUrl, maxNameLifetimeMs, maxNameTtlMs, minNameLifetimeMs } from '@cairn/protocol'
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
  removeName,
  renameName,
  resolveName,
} from '@cairn/sdk'
import { type Actions, actionCommand } from '../action-command.ts'
import { readDuration } from '../arguments/durations.ts'
import { readCount } from '../arguments/read-count.ts'
import { type CommandContext, flag, text } from '../command.ts'
import { findNamePath } from '../content-path.ts'
import { findName, isNameForm, requireFreeLabel } from '../names/find-name.ts'
import { exportKey, importKey, keepKey } from '../names/move-name-keys.ts'
import { argument, clientOf, quote, readLabel } from '../names/name-arguments.ts'
import { openNameKeys, titleOf } from '../names/name-keys.ts'
import { publishFound } from '../names/publish-found.ts'
import { formatTime } from '../text/times.ts'

async function urlOf({ session }: CommandContext, name: string): Promise<string> {
  return joinUrl((await session.network()).gateway, `/ipns/${name}`)
}

async function create(context: CommandContext): Promise<void> {
  const { session, output, values, signal } = context
  const isLocal = flag(values, 'local')
  if (flag(values, 'encrypt') && !isLocal) {
    throw new CairnError('USAGE', {
      message: '--encrypt applies only to keys on this machine',
      hint: 'Add --local, or omit --encrypt. The service seals the keys that it keeps.',
    })
  }
  const label = readLabel(context, 1)
  if (isLocal) return keepKey(context, await createNameKey(), label)
  const client = await session.client()
  if (label !== undefined) await requireFreeLabel(context, client, label)
  const made = await createName(client, { label, signal })
  output.result({ ...made, key: 'service' }, made.name)
  output.note(`Publish: cairn name publish ${quote(label ?? made.name)} <cid>`)
}

async function publish(context: CommandContext): Promise<void> {
  const { output, values, signal } = context
  const target = argument(context, 2, 'a name and its target')
  const lifetimeMs = readDuration(values, 'lifetime', { minMs: minNameLifetimeMs, maxMs: maxNameLifetimeMs })
  const ttlMs = readDuration(values, 'ttl', { minMs: 0, maxMs: maxNameTtlMs })
  const value = (await findNamePath(context, target)) ?? target
  const options = {
    signal,
    ...(lifetimeMs === undefined ? {} : { lifetimeMs }),
    ...(ttlMs === undefined ? {} : { ttlMs }),
  }
  const found = await findName(context, argument(context, 1, 'a name'))
  const record = await publishFound(context, found, value, options)
  const url = await urlOf(context, record.name)
  const json = { ...describeRecord(record), url, key: found.place === 'here' ? 'here' : 'service' }
  output.result(json, [`${record.name} → ${record.value}`, url], record.name)
  if (found.place === 'here') {
    output.note(
      `Valid until ${formatTime(record.validUntil)}. Publish it again before then with the key of ${titleOf(found.kept)} on this machine.`,
    )
  }
}

function describeRecord({ name, value, sequence, validUntil, ttlMs, bytes }: NameRecord) {
  const record = Buffer.from(bytes).toString('base64')
  return { name, value, sequence: sequence.toString(), validUntil, ttlMs, record }
}

async function list(context: CommandContext): Promise<void> {
  const { state, output, signal } = context
  const kept = await openNameKeys(state.folder).list()
  const client = await clientOf(context)
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
    ['LABEL', 'KEY', 'EXPIRES', 'NAME', 'POINTS TO'],
    rows.map((row) => {
      // The service renews the records that it signs.
      const expires = row.key === 'service' && row.validUntil !== null ? 'renewed' : formatTime(row.validUntil)
      return [row.label ?? '–', row.key, expires, row.name, row.value ?? '–']
    }),
    rows,
    'NAME',
  )
  if (rows.length === 0) output.note('No names yet. Create one: cairn name create')
}

async function resolve(context: CommandContext): Promise<void> {
  const { session, output, values, signal } = context
  const wanted = argument(context, 1, 'a name')
  const name = isNameForm(wanted) ? wanted : (await findName(context, wanted)).name
  const found = await resolveName(await session.anonymous(), name, { signal, recursive: !flag(values, 'once') })
  const json = { ...found, sequence: found.sequence.toString(), records: found.records.map(describeRecord) }
  output.result(json, found.value)
  output.note(
    `Verified by ${found.records.length === 1 ? 'the signature of its key' : `the signatures of ${found.records.length} keys`}, valid until ${formatTime(found.validUntil)}.`,
  )
}

async function history(context: CommandContext): Promise<void> {
  const { session, output, values, signal } = context
  const maxRecords = readCount(text(values, 'limit'), '--limit', 100_000) ?? 20
  const { name } = await findName(context, argument(context, 1, 'a name'))
  const records: PastRecord[] = []
  for await (const record of listNameHistory(await session.client(), name, { signal })) {
    if (records.push(record) >= maxRecords) break
  }
  output.table(
    ['SEQUENCE', 'PUBLISHED', 'EXPIRES', 'POINTED TO'],
    records.map((one) => [one.sequence.toString(), formatTime(one.publishedAt), formatTime(one.validUntil), one.value]),
    records.map((one) => ({ ...describeRecord(one), publishedAt: one.publishedAt })),
    'POINTED TO',
  )
  if (records.length === 0) output.note(`Not published yet. Publish: cairn name publish ${name} <cid>`)
}

async function rename(context: CommandContext): Promise<void> {
  const { state, output, signal } = context
  argument(context, 2, 'a name and its new label')
  const label = readLabel(context, 2) ?? null
  const found = await findName(context, argument(context, 1, 'a name'))
  if (label !== null) await requireFreeLabel(context, await clientOf(context), label)
  if (found.place === 'here') await openNameKeys(state.folder).rename(found.kept, label)
  await onAccount(context, found.place, (client) => renameName(client, found.name, label, { signal }))
  output.result({ name: found.name, label }, `Labelled ${found.name} ${JSON.stringify(label)}`, found.name)
}

/** Runs work on a name with the account, which may not know a name whose key is on this machine. */
async function onAccount(
  context: CommandContext,
  place: 'here' | 'account',
  change: (client: Client) => Promise<unknown>,
): Promise<void> {
  const client = await clientOf(context)
  if (place === 'here' && client.apiKey === undefined) return
  try {
    await change(client)
  } catch (error) {
    if (place === 'account' || !CairnError.is(error, 'NAME_NOT_FOUND')) throw error
  }
}

async function remove(context: CommandContext): Promise<void> {
  const { state, output, prompt, values, signal } = context
  const found = await findName(context, argument(context, 1, 'a name'))
  const isDestroyed = found.place === 'here' || found.state.keyHeld === 'service'
  const loss = isDestroyed ? ' This destroys its key. Without an export, the name can never be published again.' : ''
  if (!flag(values, 'yes') && !(await prompt.confirm(`Remove ${found.name}?${loss}`))) {
    output.note('The name was not removed.')
    throw new CairnError('ABORTED')
  }
  await onAccount(context, found.place, (client) => removeName(client, found.name, { signal }))
  if (found.place === 'here') await openNameKeys(state.folder).remove(found.name)
  output.result({ removed: found.name }, `Removed ${found.name}`, found.name)
}

const actions: Actions = {
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

export const name = actionCommand(actions, {
  name: 'name',
  summary: 'Manage IPNS names, whose target can change',
  usage: '[name or file] [cid, path or label]',
  arity: [1, 3],
  maxArguments: { create: 2, list: 1, resolve: 2, history: 2, export: 2, rm: 2 },
  options: {
    local: { type: 'boolean', actions: ['create'], about: 'create: keep the key on this machine' },
    encrypt: {
      type: 'boolean',
      actions: ['create', 'import'],
      about: 'create --local, import: encrypt the key with a password',
    },
    lifetime: { type: 'string', actions: ['publish'], value: 'time', about: 'publish: lifetime of the record (48h)' },
    ttl: { type: 'string', actions: ['publish'], value: 'time', about: 'publish: how long readers may cache it (5m)' },
    once: { type: 'boolean', actions: ['resolve'], about: 'resolve: do not follow names that point to names' },
    limit: { type: 'string', actions: ['history'], value: 'n', about: 'history: maximum number of rows (20)' },
    format: {
      type: 'string',
      actions: ['export'],
      value: 'format',
      choices: ['pem', 'libp2p'],
      about: 'export: pem or libp2p, the format of `ipfs key import` (pem)',
    },
    output: {
      type: 'string',
      actions: ['export'],
      short: 'o',
      value: 'path',
      about: 'export: write the key to a file',
    },
    yes: { type: 'boolean', short: 'y', about: 'rm: skip the confirmation' },
  },
  examples: [
    'cairn name create site',
    'cairn name publish site bafy…',
    'cairn name resolve k51…',
    'cairn name create --local --encrypt mine',
    'cairn name export site -o site.key --format libp2p',
  ],
})
