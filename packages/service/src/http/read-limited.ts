/** Reads an answer to its end as text. @throws Error for one that is longer than it may be */
export async function readLimited(response: Response, bytesMost: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.length
    if (bytes > bytesMost) throw new Error(`the answer is longer than ${bytesMost} bytes`)
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}
