import { type VerifiedEventLog, verifyEventLog as verifyLines } from '@cairn/crypto'
import { CairnError, exportEvents as exportEventsCall } from '@cairn/protocol'
import type { Client } from '../client.ts'
import { iterateStream } from '../iterate-stream.ts'
import { type CallOptions, describeCall, openResponse } from '../request.ts'

/** Maximum line in characters: an event is far shorter. */
const maxLineCharacters = 1024 * 1024

/**
 * Exports the event log of the account as lines of JSON, signed by the service. Verify it with {@link verifyEventLog}:
 * an incomplete export has no signature.
 * @throws CairnError FORBIDDEN (the API key lacks the scope `account` or `files:read`)
 */
export async function* exportEvents(
  client: Client,
  options: CallOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const send = describeCall(client, exportEventsCall, {}, options)
  const response = await openResponse(client, { ...send, timeoutMs: client.transferTimeoutMs })
  if (response.body !== null) yield* iterateStream(response.body)
}

/**
 * Verifies an exported event log: no event was changed, added, moved or removed since the service signed it.
 * @param signer the expected public key, `eventSigner` of the network profile. Without it, compare `signer` of the result yourself
 * @throws CairnError DATA_DAMAGED, INVALID_SIGNATURE
 */
export async function verifyEventLog(
  source: AsyncIterable<Uint8Array>,
  { signer }: { signer?: string | undefined } = {},
): Promise<VerifiedEventLog> {
  const found = await verifyLines(splitLines(source))
  if (signer === undefined || found.signer === signer) return found
  throw new CairnError('INVALID_SIGNATURE', {
    message: `The event log is signed by ${found.signer}, not by ${signer}`,
    hint: 'The service may have replaced its secret since. Compare with the signer of older logs that you trust.',
  })
}

async function* splitLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of source) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLineCharacters) throw new CairnError('DATA_DAMAGED', { message: 'A line is too long' })
    yield* lines
  }
  if (rest !== '') yield rest
}
