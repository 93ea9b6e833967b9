import { CairnError } from '@cairn/protocol'
import type { Answer } from '../http/send-answer.ts'
import { writeErrorXml } from './s3-error.ts'

/** Time until the response starts, and the delay between spaces after that, in ms. */
const defaultPatienceMs = 10_000
const head = '<?xml version="1.0" encoding="UTF-8"?>\n'

type SlowAnswerOptions = {
  /** Id of the request in the response. */
  requestId: string
  /** Called with a failure that the response can report in its body only. */
  onFailure(error: unknown): void
  patienceMs?: number
}

/** XML that takes long to create. Its headers are sent only if it is ready before the response starts. */
export type SlowDocument = { xml: string; headers: Record<string, string> }

/**
 * Responds with XML that takes long to create. After some time the response starts, and spaces keep the connection alive. A
 * later failure is reported in the body of a response with status 200, as in S3.
 * @throws the error of `work`, if it fails before the response starts
 */
export async function slowAnswer(
  work: Promise<SlowDocument>,
  { requestId, onFailure, patienceMs = defaultPatienceMs }: SlowAnswerOptions,
): Promise<Answer> {
  const headers = { 'content-type': 'application/xml' }
  if (await isDone(work, patienceMs)) {
    const document = await work
    return {
      status: 200,
      headers: { ...headers, ...document.headers, 'content-length': String(Buffer.byteLength(document.xml)) },
      body: document.xml,
    }
  }
  // Also if the client disconnects before it fails.
  work.catch(onFailure)
  return { status: 200, headers, body: () => pieces(work, requestId, patienceMs) }
}

async function* pieces(
  work: Promise<SlowDocument>,
  requestId: string,
  patienceMs: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(head)
  while (!(await isDone(work, patienceMs))) yield Buffer.from(' ')
  const xml = await work.then(
    (document) => document.xml,
    (error: unknown) => writeErrorXml(CairnError.from(error), requestId),
  )
  yield Buffer.from(xml.slice(head.length))
}

/** Returns whether the work settled within some time. */
function isDone(work: Promise<unknown>, patienceMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), patienceMs)
    work
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(timer)
        resolve(true)
      })
  })
}
