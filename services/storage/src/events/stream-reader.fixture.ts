import { bearer } from '../start-test-storage.fixture.ts'

/** A parsed message of a stream. */
export type StreamMessage = { id?: string; event?: string; data?: unknown }

/** Opens a stream of server-sent events and parses its messages; comments and cursors are skipped. */
export async function openStream(
  apiUrl: string,
  key: string,
  query: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<{ headers: Headers; next(): Promise<StreamMessage | undefined> } & AsyncDisposable> {
  const stop = new AbortController()
  const response = await fetch(`${apiUrl}/api/events/stream?${new URLSearchParams(query)}`, {
    headers: { ...bearer(key).headers, ...headers },
    signal: stop.signal,
  })
  if (response.status !== 200 || response.body === null) throw new Error(await response.text())
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const next = async (): Promise<StreamMessage | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end === -1) {
        const { done, value } = await reader.read()
        if (done) return undefined
        text += value
        continue
      }
      const message = parseMessage(text.slice(0, end))
      text = text.slice(end + 2)
      if (message.event !== undefined && message.event !== 'cursor') return message
    }
  }
  return {
    headers: response.headers,
    next,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await reader.cancel().catch(() => undefined)
    },
  }
}

function parseMessage(block: string): StreamMessage {
  const message: StreamMessage = {}
  for (const line of block.split('\n')) {
    if (line.startsWith('id: ')) message.id = line.slice(4)
    if (line.startsWith('event: ')) message.event = line.slice(7)
    if (line.startsWith('data: ')) message.data = JSON.parse(line.slice(6))
  }
  return message
}
