import { CairnError } from '@cairn/protocol'
import type { Answer } from '../gateway/gateway.ts'
import { writeErrorXml } from './s3-error.ts'

/** Time until the response starts, and the delay between spaces after that, in ms. */
const patienceMs = 10_000
const head = '<?xml version="1.0" encoding="UTF-8"?>\n'

/**
 * Responds with XML that takes long to create. After some time the response starts, and spaces keep the connection alive. A
 * later failure is reported in the body of a response with status 200, as in S3.
 */
export function slowAnswer(work: Promise<string>, requestId: string): Answer {
  // The response awaits this promise; until then its rejection must not count as unhandled.
  work.catch(() => undefined)
  return { status: 200, headers: { 'content-type': 'application/xml' }, body: () => pieces(work, requestId) }
}

async function* pieces(work: Promise<string>, requestId: string): AsyncGenerator<Uint8Array, void, undefined> {
  let started = false
  while (!(await isDone(work))) {
    yield Buffer.from(started ? ' ' : head)
    started = true
  }
  if (!started) {
    yield Buffer.from(await work)
    return
  }
  const document = await work.catch((error: unknown) => {
    return writeErrorXml(CairnError.from(error), requestId)
  })
  yield Buffer.from(document.slice(head.length))
}

/** Returns whether the work settled within some time. */
function isDone(work: Promise<unknown>): Promise<boolean> {
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
