import { type AccountEvent, CairnError, type EventType, eventTypes, watchEvents } from '@cairn/sdk'
import { type Command, text } from '../command.ts'
import { countOf } from '../text/count-of.ts'
import { formatTime, isTimeField } from '../text/times.ts'

export const watch: Command = {
  name: 'watch',
  summary: 'Print the events of the account as they happen',
  usage: '',
  arity: [0, 0],
  endsWithOutput: true,
  options: {
    types: {
      type: 'string',
      about: 'only these types of events, separated by commas (all)',
      value: 'types',
      choices: eventTypes,
    },
    after: {
      type: 'string',
      about: 'continue after this cursor; 0 for the oldest stored event (latest)',
      value: 'cursor',
    },
  },
  examples: ['cairn watch', 'cairn watch --types upload.stored,pin.failed --json', 'cairn watch --after 0'],
  async run({ values, session, output, signal }) {
    const types = parseTypes(text(values, 'types'))
    const after = text(values, 'after')
    const events = watchEvents(await session.client(), {
      signal,
      ...(types === undefined ? {} : { types }),
      ...(after === undefined ? {} : { after }),
      onGap: (missedEvents) => output.note(`${countOf(missedEvents, 'earlier event')} no longer stored.`),
      onReconnect: (error) => output.note(`Connection lost: ${error.message}. Reconnecting.`),
    })
    for await (const event of events) output.result(event, describe(event), event.cursor)
  },
}

/** @throws CairnError USAGE for an unknown type */
export function parseTypes(list: string | undefined): EventType[] | undefined {
  return list?.split(',').map((name) => {
    const type = eventTypes.find((one) => one === name)
    if (type !== undefined) return type
    throw new CairnError('USAGE', {
      message: `Unknown type of event: ${JSON.stringify(name)}`,
      hint: `Use ${eventTypes.join(', ')}.`,
    })
  })
}

function describe({ cursor, timestamp, type, data }: AccountEvent): string {
  const facts = Object.entries(data).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${isTimeField(name, value) ? formatTime(value) : value}`],
  )
  return [cursor, formatTime(Date.parse(timestamp)), type, ...facts].join('  ')
}
