import {
  CairnError,
  type EventLogHead,
  type EventLogSeal,
  eventLogFormat,
  parseEventLine,
  parseEventLogHead,
  parseEventLogSeal,
} from '@cairn/protocol'
import { ed25519 } from '@noble/curves/ed25519.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { base64urlnopad } from '@scure/base'
import { parseDidKey, writeDidKey } from './session-key.ts'

/** A verified log. */
export type VerifiedEventLog = Omit<EventLogHead, 'format'> & {
  count: number
  /** Cursor of the first event; undefined for an empty log. */
  firstCursor: string | undefined
  lastCursor: string
}

/** Writes the lines of a log. The caller appends a line feed to each. */
export type EventLogWriter = {
  head: string
  /** @param event JSON of the next event */
  addEvent(event: string): void
  /** Returns the last line. */
  seal(lastCursor: string): string
}

/** Returns the public key that signs logs with a seed, as did:key. */
export function eventLogSigner(seed: Uint8Array): string {
  return writeDidKey(ed25519.getPublicKey(seed))
}

/** Writes a log that is signed with a seed of 32 bytes. */
export function writeEventLog(
  { network, address, createdAt }: Pick<EventLogHead, 'network' | 'address' | 'createdAt'>,
  seed: Uint8Array,
): EventLogWriter {
  const head = JSON.stringify({ format: eventLogFormat, network, address, signer: eventLogSigner(seed), createdAt })
  const chain = openChain(head)
  let count = 0
  return {
    head,
    addEvent(event) {
      chain.add(event)
      count++
    },
    seal(lastCursor) {
      const facts = { count, lastCursor, hash: chain.hash() }
      return JSON.stringify({ ...facts, signature: base64urlnopad.encode(ed25519.sign(covered(facts), seed)) })
    },
  }
}

/**
 * Verifies a log: its hash chain, the signature, and that its events follow each other without a gap to the last one.
 * @param lines lines without their line feeds
 * @throws CairnError DATA_DAMAGED for a log that is incomplete or was changed, INVALID_SIGNATURE
 */
export async function verifyEventLog(lines: AsyncIterable<string>): Promise<VerifiedEventLog> {
  let head: EventLogHead | undefined
  let chain = openChain('')
  let count = 0
  let firstCursor: string | undefined
  let cursor: number | undefined
  let line: string | undefined
  // One line behind, because the last one is the seal.
  for await (const next of lines) {
    if (line !== undefined) {
      if (head === undefined) {
        head = requireLine(parseEventLogHead(line), 1)
        chain = openChain(line)
      } else {
        const event = requireLine(parseEventLine(line), count + 2)
        if (cursor !== undefined && Number(event.cursor) !== cursor + 1) throw damaged(`event ${cursor + 1} is missing`)
        cursor = Number(event.cursor)
        firstCursor ??= event.cursor
        chain.add(line)
        count++
      }
    }
    line = next
  }
  if (head === undefined || line === undefined) throw damaged('it has no head or no seal')
  const seal = requireLine(parseEventLogSeal(line), count + 2)
  if (seal.count !== count || (cursor !== undefined && seal.lastCursor !== String(cursor))) {
    throw damaged(
      `it has ${count} events and ends at ${cursor ?? 'none'}, the seal names ${seal.count} to ${seal.lastCursor}`,
    )
  }
  if (seal.hash !== chain.hash()) throw damaged('a line was changed')
  if (!isSigned(seal, head.signer)) throw new CairnError('INVALID_SIGNATURE')
  const { network, address, signer, createdAt } = head
  return { network, address, signer, createdAt, count, firstCursor, lastCursor: seal.lastCursor }
}

/** Each hash covers the line and the hash before it. */
function openChain(head: string): { add(line: string): void; hash(): string } {
  const next = (before: Uint8Array, line: string) => sha256.create().update(before).update(utf8ToBytes(line)).digest()
  let hash = next(new Uint8Array(), head)
  return {
    add: (line) => {
      hash = next(hash, line)
    },
    hash: () => bytesToHex(hash),
  }
}

/** The signed text. It names the format, so that no other signature of the key is valid for it. */
function covered({ count, lastCursor, hash }: Omit<EventLogSeal, 'signature'>): Uint8Array {
  return utf8ToBytes([eventLogFormat, count, lastCursor, hash].join('\n'))
}

function isSigned(seal: EventLogSeal, signer: string): boolean {
  const key = parseDidKey(signer)
  if (key === undefined) return false
  try {
    return ed25519.verify(base64urlnopad.decode(seal.signature), covered(seal), key, { zip215: false })
  } catch {
    // Not a signature.
    return false
  }
}

function requireLine<Line>(line: Line | undefined, number: number): Line {
  if (line === undefined) throw damaged(`line ${number} does not have the format`)
  return line
}

function damaged(reason: string): CairnError {
  return new CairnError('DATA_DAMAGED', {
    message: `The event log is incomplete or was changed: ${reason}`,
    hint: 'Use an unchanged copy of the log, or export it again.',
  })
}
