import * as v from 'valibot'
import { type AccountEvent, accountEventSchema } from './events.ts'

/** Format of an exported event log. Its lines are JSON: a head, an event each, and a seal. */
export const eventLogFormat = 'cairn-event-log/1'

const headSchema = v.object({
  format: v.literal(eventLogFormat),
  /** Name of the network. */
  network: v.string(),
  address: v.string(),
  /** Public key of the service, as did:key. */
  signer: v.string(),
  createdAt: v.pipe(v.string(), v.isoTimestamp()),
})
const sealSchema = v.object({
  count: v.number(),
  /** Cursor of the newest event of the account when the log was exported. */
  lastCursor: v.string(),
  /** The last hash of the chain over all lines before, in hex. */
  hash: v.string(),
  signature: v.string(),
})

/** The first line of an event log: its account and its signer. */
export type EventLogHead = v.InferOutput<typeof headSchema>
/** The last line of an event log. */
export type EventLogSeal = v.InferOutput<typeof sealSchema>

/** Parses the first line of an event log; returns undefined for any other text. */
export const parseEventLogHead = (line: string): EventLogHead | undefined => parseLine(headSchema, line)

/** Parses the last line of an event log; returns undefined for any other text. */
export const parseEventLogSeal = (line: string): EventLogSeal | undefined => parseLine(sealSchema, line)

/** Parses a line with an event; returns undefined for any other text. */
export const parseEventLine = (line: string): AccountEvent | undefined => parseLine(accountEventSchema, line)

function parseLine<Output>(schema: v.GenericSchema<unknown, Output>, line: string): Output | undefined {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), line)
  return parsed.success ? parsed.output : undefined
}
