import { randomUUID } from 'node:crypto'
import { CairnError } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import * as v from 'valibot'

/** The operator's Kubo, or the proxy of an IPFS Cluster, which has the same calls. */
export type KuboSettings = {
  /** Base URL of the RPC API, without `/api/v0`. */
  url: string
  /** Value of the header `Authorization`. */
  authorization: string | undefined
}

export type KuboClient = {
  /** Sends a CAR with all blocks of a DAG. */
  importCar(car: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>
  pin(cid: CID, signal: AbortSignal): Promise<void>
  /** Removes a pin. A missing pin is not an error. */
  unpin(cid: CID, signal: AbortSignal): Promise<void>
}

/** A call that neither sends nor answers anything new for this long has failed, in ms. */
const maxIdleMs = 120_000
/** Maximum end of a response that is kept: errors and results are short. */
const maxResponseCharacters = 64 * 1024

const errorSchema = v.object({ Message: v.string() })

/** Creates a client of a Kubo's RPC API. Its calls throw CairnError UPSTREAM_FAILED. @see https://docs.ipfs.tech/reference/kubo/rpc/ */
export function createKuboClient({ url, authorization }: KuboSettings, idleMs = maxIdleMs): KuboClient {
  const call = async (
    path: string,
    signal: AbortSignal,
    body?: { headers: Record<string, string>; stream: ReadableStream<Uint8Array>; watch: IdleWatch },
  ): Promise<{ isDone: boolean; text: string }> => {
    const watch = body?.watch ?? watchIdle(idleMs)
    const init: RequestInit & { duplex?: 'half' } = {
      method: 'POST',
      redirect: 'error',
      signal: AbortSignal.any([signal, watch.signal]),
      headers: { ...(authorization === undefined ? {} : { authorization }), ...body?.headers },
      ...(body === undefined ? {} : { body: body.stream, duplex: 'half' }),
    }
    try {
      const response = await fetch(`${url.replace(/\/$/, '')}/api/v0/${path}`, init)
      return { isDone: response.ok, text: await readEnd(response, watch.touch) }
    } catch (cause) {
      signal.throwIfAborted()
      throw new CairnError('UPSTREAM_FAILED', { message: 'The operator’s Kubo does not respond', cause })
    } finally {
      watch.stop()
    }
  }
  return {
    async importCar(car, signal) {
      const boundary = randomUUID()
      const watch = watchIdle(idleMs)
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
      const stream = toStream(writeForm(car, boundary, watch.touch))
      const query = new URLSearchParams({ 'pin-roots': 'false', silent: 'true' })
      const { isDone, text } = await call(`dag/import?${query}`, signal, { headers, stream, watch })
      // Kubo reports a failure in the middle of a CAR at the end of a response with status 200.
      if (!isDone || text.includes('"Type":"error"')) throw refused('import a CAR', text)
    },
    async pin(cid, signal) {
      // Kubo reads the whole DAG before it answers, which takes longer than any pause: its progress shows that it does.
      const { isDone, text } = await call(`pin/add?${pinQuery(cid)}&progress=true`, signal)
      if (!isDone) throw refused('pin', text)
      // Once there was progress, a failure ends the response without a result.
      if (!text.includes('"Pins"')) throw refused('pin', 'it reported no result')
    },
    async unpin(cid, signal) {
      const { isDone, text } = await call(`pin/rm?${pinQuery(cid)}`, signal)
      if (!isDone && !/not pinned|not part of the pinset/i.test(text)) throw refused('unpin', text)
    },
  }
}

function pinQuery(cid: CID): URLSearchParams {
  return new URLSearchParams({ arg: cid.toString(), recursive: 'true' })
}

/** Writes the form of one file that `dag/import` reads. */
async function* writeForm(
  car: AsyncIterable<Uint8Array>,
  boundary: string,
  touch: () => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="dag.car"\r\ncontent-type: application/vnd.ipld.car\r\n\r\n`,
  )
  for await (const piece of car) {
    touch()
    // A copy, because the memory of a piece is reused.
    yield Uint8Array.from(piece)
  }
  touch()
  yield Buffer.from(`\r\n--${boundary}--\r\n`)
}

function toStream(pieces: AsyncGenerator<Uint8Array, void, undefined>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await pieces.return()
    },
  })
}

/** Reads the end of a response. Lines that repeat the last one do not count as activity. */
async function readEnd({ body }: Response, touch: () => void): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let last = ''
  for await (const bytes of body ?? []) {
    text = (text + decoder.decode(bytes, { stream: true })).slice(-maxResponseCharacters)
    const line = lastLineOf(text)
    if (line !== last) touch()
    last = line
  }
  return text + decoder.decode()
}

function lastLineOf(text: string): string {
  const lines = text.trimEnd()
  return lines.slice(lines.lastIndexOf('\n') + 1)
}

type IdleWatch = { signal: AbortSignal; touch(): void; stop(): void }

function watchIdle(idleMs: number): IdleWatch {
  const idle = new AbortController()
  const timer = setTimeout(() => idle.abort(new Error(`nothing new was sent for ${idleMs} ms`)), idleMs)
  return { signal: idle.signal, touch: () => void timer.refresh(), stop: () => clearTimeout(timer) }
}

function refused(action: string, text: string): CairnError {
  let reason = lastLineOf(text)
  try {
    const parsed = v.safeParse(errorSchema, JSON.parse(text))
    if (parsed.success) reason = parsed.output.Message
  } catch {
    // Not JSON: its last line says what happened.
  }
  return new CairnError('UPSTREAM_FAILED', {
    message: `The operator’s Kubo failed to ${action}: ${reason.slice(0, 300)}`,
  })
}
