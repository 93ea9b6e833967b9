import { AnswerTooLargeError } from './answer-too-large.ts'

/**
 * Reads a response to its end as text.
 * @throws AnswerTooLargeError
 */
export async function readLimited(
  response: { body: AsyncIterable<Uint8Array> | null },
  maxBytes: number,
): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > maxBytes) throw new AnswerTooLargeError(maxBytes)
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}
