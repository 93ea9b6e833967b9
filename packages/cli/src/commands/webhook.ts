import {
  CairnError,
  createWebhook,
  listEvents,
  listWebhookDeliveries,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  testWebhook,
  updateWebhook,
} from '@cairn/sdk'
import { type Action, type Actions, actionCommand } from '../action-command.ts'
import { type CommandContext, text } from '../command.ts'
import { countOf } from '../text/count-of.ts'
import { formatTime } from '../text/times.ts'
import { parseTypes } from './watch.ts'

async function create({ args, values, session, output, signal }: CommandContext): Promise<void> {
  const url = requireArgument(args, 'create')
  const types = parseTypes(text(values, 'types'))
  const description = text(values, 'description')
  const webhook = await createWebhook(
    await session.client(),
    {
      url,
      ...(types === undefined ? {} : { types }),
      ...(description === undefined ? {} : { description }),
    },
    { signal },
  )
  output.result(webhook, [`ID      ${webhook.id}`, `Secret  ${webhook.secret}`], webhook.secret)
  output.note('The receiver verifies deliveries with the secret. It is shown only once.')
}

async function list({ session, output, signal }: CommandContext): Promise<void> {
  const webhooks = await listWebhooks(await session.client(), { signal })
  output.table(
    ['ID', 'STATE', 'TYPES', 'URL'],
    webhooks.map(({ id, isEnabled, disabledReason, failingSince, types, url }) => [
      id,
      isEnabled ? (failingSince === null ? 'enabled' : 'failing') : `disabled: ${disabledReason ?? 'by its owner'}`,
      types.length === 0 ? 'all' : types.join(' '),
      url,
    ]),
    webhooks,
  )
  if (webhooks.length === 0) output.note('No webhooks yet. Create one: cairn webhook create <url>')
}

const switchTo =
  (isEnabled: boolean): Action =>
  async ({ args, session, output, signal }) => {
    const action = isEnabled ? 'enable' : 'disable'
    const id = requireArgument(args, action)
    const webhook = await updateWebhook(await session.client(), id, { isEnabled }, { signal })
    output.result(webhook, `${id} is ${action}d.`, id)
  }

async function remove({ args, session, output, signal }: CommandContext): Promise<void> {
  const id = requireArgument(args, 'remove')
  await removeWebhook(await session.client(), id, { signal })
  output.result({ removed: id }, `Removed ${id}.`, id)
}

async function test({ args, session, output, signal }: CommandContext): Promise<void> {
  const result = await testWebhook(await session.client(), requireArgument(args, 'test'), { signal })
  if (!result.isDelivered) {
    throw new CairnError('UPSTREAM_FAILED', { message: result.error ?? 'The test event was not delivered' })
  }
  output.result(result, `The receiver responded with status ${result.status}.`, String(result.status))
}

async function replay({ args, values, session, output, signal }: CommandContext): Promise<void> {
  const client = await session.client()
  const id = requireArgument(args, 'replay')
  let after = text(values, 'after')
  if (after === undefined) {
    throw new CairnError('USAGE', { message: 'webhook replay requires --after', hint: 'Use 0 for all stored events.' })
  }
  const { cursor: until } = await listEvents(client, { after: 'latest', limit: 1 }, { signal })
  let queued = 0
  for (;;) {
    const part = await replayWebhook(client, id, { after, until }, { signal })
    queued += part.queued
    if (part.cursor === after) break
    after = part.cursor
  }
  const lines = [`${countOf(queued, 'event')} will be delivered again.`]
  const isFull = Number(after) < Number(until)
  if (isFull) lines.push(`The queue of the webhook is full. When it has emptied, continue with --after ${after}.`)
  output.result({ queued, ...(isFull ? { continueAfter: after } : {}) }, lines, String(queued))
}

async function deliveries({ args, session, output, signal }: CommandContext): Promise<void> {
  const id = requireArgument(args, 'deliveries')
  const rows = await listWebhookDeliveries(await session.client(), id, {}, { signal })
  output.table(
    ['CURSOR', 'TYPE', 'STATE', 'TRIES', 'STATUS', 'NEXT', 'ERROR'],
    rows.map((row) => [
      row.cursor,
      row.type,
      row.state,
      String(row.tries),
      row.lastStatus === null ? '–' : String(row.lastStatus),
      formatTime(row.nextAt),
      row.lastError ?? '',
    ]),
    rows,
  )
  if (rows.length === 0) output.note('No deliveries yet.')
}

function requireArgument(args: readonly string[], action: string): string {
  const [, value] = args
  if (value !== undefined) return value
  const [what, hint] =
    action === 'create'
      ? ['a URL', 'Run cairn webhook create https://example.com/hook.']
      : ['the id of a webhook', 'Run `cairn webhook list` to list the ids.']
  throw new CairnError('USAGE', { message: `webhook ${action} requires ${what}`, hint })
}

const actions: Actions = {
  create,
  list,
  enable: switchTo(true),
  disable: switchTo(false),
  remove,
  test,
  replay,
  deliveries,
}

export const webhook = actionCommand(actions, {
  name: 'webhook',
  summary: 'Deliver events of the account to a URL',
  usage: '[url|id]',
  arity: [1, 2],
  maxArguments: { list: 1 },
  options: {
    types: {
      type: 'string',
      actions: ['create'],
      about: 'types of events for create, separated by commas (all)',
      value: 'types',
    },
    description: { type: 'string', actions: ['create'], about: 'description for create', value: 'text' },
    after: { type: 'string', actions: ['replay'], about: 'cursor before the first event for replay', value: 'cursor' },
  },
  examples: [
    'cairn webhook create https://example.com/hook --types upload.stored',
    'cairn webhook list',
    'cairn webhook deliveries <id>',
    'cairn webhook replay <id> --after 0',
  ],
})
