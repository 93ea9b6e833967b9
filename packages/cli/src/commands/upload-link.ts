import { formatBytes, maxUploadLinkLifetimeMs } from '@cairn/protocol'
import { CairnError, createUploadLink, listUploadLinks, revokeUploadLink } from '@cairn/sdk'
import { type Actions, actionCommand } from '../action-command.ts'
import { readDuration } from '../arguments/durations.ts'
import { type CommandContext, text } from '../command.ts'
import { parseBytes } from '../text/sizes.ts'
import { formatTime } from '../text/times.ts'

async function create({ values, session, output, signal }: CommandContext): Promise<void> {
  const [size, total, count] = [text(values, 'max-size'), text(values, 'max-total'), text(values, 'count')]
  const [types, label] = [text(values, 'types'), text(values, 'label')]
  const lifetimeMs = readDuration(values, 'expires', { minMs: 1000, maxMs: maxUploadLinkLifetimeMs })
  const link = await createUploadLink(
    await session.client(),
    {
      ...(size === undefined ? {} : { maxFileBytes: parseBytes(size) }),
      ...(total === undefined ? {} : { maxTotalBytes: parseBytes(total) }),
      ...(count === undefined ? {} : { maxUploads: parseCount(count) }),
      ...(types === undefined ? {} : { contentTypes: types.split(',').map((type) => type.trim()) }),
      ...(lifetimeMs === undefined ? {} : { expiresAt: Date.now() + lifetimeMs }),
      ...(label === undefined ? {} : { label }),
    },
    { signal },
  )
  output.result(
    link,
    [
      link.url,
      `ID       ${link.id}`,
      `Expires  ${formatTime(link.expiresAt)}`,
      `Files    ${link.maxUploads}, up to ${formatBytes(link.maxFileBytes)} each, ${formatBytes(link.maxTotalBytes)} in total`,
      `Types    ${link.contentTypes.join(', ') || 'all'}`,
    ],
    link.url,
  )
  output.note('The link contains a secret and is shown only once.')
}

async function list({ session, output, signal }: CommandContext): Promise<void> {
  const links = await listUploadLinks(await session.client(), { signal })
  output.table(
    ['ID', 'STATE', 'FILES', 'SIZE', 'OPEN', 'EXPIRES', 'LABEL'],
    links.map(({ id, state, uploads, maxUploads, uploadedBytes, maxTotalBytes, openUploads, expiresAt, label }) => [
      id,
      state,
      `${uploads}/${maxUploads}`,
      `${formatBytes(uploadedBytes)}/${formatBytes(maxTotalBytes)}`,
      String(openUploads),
      formatTime(expiresAt),
      label,
    ]),
    links,
  )
  if (links.length === 0) output.note('No upload links yet. Create one: cairn upload-link new')
}

async function remove({ args, session, output, signal }: CommandContext): Promise<void> {
  const [, id] = args
  if (id === undefined) {
    throw new CairnError('USAGE', {
      message: 'upload-link rm requires the id of an upload link',
      hint: 'Run `cairn upload-link ls` to list the ids.',
    })
  }
  await revokeUploadLink(await session.client(), id, { signal })
  output.result({ revoked: id }, `Revoked ${id}.`, id)
  output.note('Files uploaded through it are kept.')
}

function parseCount(given: string): number {
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given)
  throw new CairnError('USAGE', {
    message: `"${given}" is not a number of files`,
    hint: 'Use a whole number, such as 1, 10 or 100.',
  })
}

const actions: Actions = { new: create, ls: list, rm: remove }

export const uploadLink = actionCommand(actions, {
  name: 'upload-link',
  summary: 'Let others upload to your account with a link, without a wallet',
  usage: '[id]',
  arity: [1, 2],
  maxArguments: { new: 1, ls: 1 },
  options: {
    'max-size': { type: 'string', actions: ['new'], about: 'largest file, for new (100MiB)', value: 'size' },
    'max-total': {
      type: 'string',
      actions: ['new'],
      about: 'all files together, for new (count × max-size)',
      value: 'size',
    },
    count: { type: 'string', actions: ['new'], about: 'number of files, for new (100)', value: 'number' },
    types: {
      type: 'string',
      actions: ['new'],
      about: 'media types, separated by commas, for new (all)',
      value: 'types',
    },
    expires: { type: 'string', actions: ['new'], about: 'lifetime, for new (7d)', value: 'duration' },
    label: { type: 'string', actions: ['new'], about: 'label in your list, for new', value: 'text' },
  },
  examples: [
    "cairn upload-link new --count 10 --max-size 20MiB --types 'image/*,application/pdf'",
    'cairn upload-link new --expires 24h --label "holiday photos"',
    'cairn upload-link ls',
    'cairn upload-link rm <id>',
    "cairn upload --link 'https://…/upload-link#…' photo.jpg",
  ],
})
