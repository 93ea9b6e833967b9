import { joinUrl } from '@cairn/protocol'
import { listNames, resolveName } from '@cairn/sdk'
import * as v from 'valibot'
import { findNamePath } from '../content-path.ts'
import { findName, isNameForm } from '../names/find-name.ts'
import { clientOf } from '../names/name-arguments.ts'
import { openNameKeys } from '../names/name-keys.ts'
import { publishFound } from '../names/publish-found.ts'
import { clean } from '../terminal/output.ts'
import { defineTool, type Tool } from './tool.ts'

const name = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(200),
  v.description('An IPNS name (k51…), or the label of one of your names.'),
)

/** Maximum names in one listing. */
const maxNames = 1000

const list = defineTool({
  name: 'list_names',
  title: 'List your names',
  description: 'Lists the IPNS names of the account and of this machine, with labels and targets.',
  effect: 'reads',
  input: v.strictObject({}),
  async run(_input, { command, signal }) {
    const kept = await openNameKeys(command.state.folder).list()
    const names: { name: string; label: string | null; value: string | null }[] = []
    const client = await clientOf(command)
    if (client.apiKey !== undefined) {
      for await (const { name, label, value } of listNames(client, { signal })) {
        names.push({ name, label, value })
        if (names.length === maxNames) break
      }
    }
    for (const { name, label } of kept)
      if (names.every((one) => one.name !== name)) names.push({ name, label, value: null })
    const lines = names.map((one) => `${one.name}  ${clean(one.label ?? '–')}  ${clean(one.value ?? 'not published')}`)
    return { data: { names }, text: lines.join('\n') || 'No names yet. Create one: cairn name create' }
  },
})

const resolve = defineTool({
  name: 'resolve_name',
  title: 'Resolve a name',
  description: 'Returns the content that an IPNS name points to, verified by the signature of its key.',
  effect: 'reads',
  input: v.strictObject({ name }),
  async run({ name: wanted }, { command, signal }) {
    const canonical = isNameForm(wanted) ? wanted : (await findName(command, wanted)).name
    const found = await resolveName(await command.session.anonymous(), canonical, { signal })
    const validUntil = new Date(found.validUntil).toISOString()
    return {
      data: {
        name: found.name,
        value: found.value,
        cid: found.cid,
        sequence: found.sequence.toString(),
        validUntil,
        ttlMs: found.ttlMs,
      },
      text: `${found.name} points to ${found.value}, valid until ${validUntil}.`,
    }
  },
})

const publish = defineTool({
  name: 'publish_name',
  title: 'Point a name to content',
  description:
    'Points one of your IPNS names to new content. The name must exist: `cairn name create` creates one. Replaces its previous target.',
  effect: 'replaces',
  isIdempotent: true,
  input: v.strictObject({
    name,
    content: v.pipe(
      v.string(),
      v.minLength(1),
      v.maxLength(4096),
      v.description('A CID with an optional /path, or another name.'),
    ),
  }),
  async run({ name: wanted, content }, { command, signal }) {
    const value = (await findNamePath(command, content)) ?? content
    const found = await findName(command, wanted)
    const record = await publishFound(command, found, value, { signal })
    const { gateway } = await command.session.network()
    const url = joinUrl(gateway, `/ipns/${record.name}`)
    const validUntil = new Date(record.validUntil).toISOString()
    return {
      data: { name: record.name, value: record.value, sequence: record.sequence.toString(), validUntil, url },
      text: `${record.name} points to ${record.value}.\n${url}`,
    }
  },
})

/** Tools for IPNS names. */
export const nameTools: readonly Tool[] = [list, resolve, publish]
