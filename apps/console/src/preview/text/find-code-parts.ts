import type { CodePart, CodeRequest } from './code-part.ts'

/**
 * Time after which code is shown without colours, in ms: a line crafted to be slow could take hours. Usual files take a tenth of
 * it.
 */
const maxMs = 5_000

/** The last request, which the next one waits for: the worker handles one at a time. */
let last: Promise<unknown> = Promise.resolve()
let waiting = 0
let worker: Worker | undefined

/**
 * Finds the parts of code in a worker, one after the other, so that the page stays responsive.
 * @param signal ends the search; its page is gone
 * @returns undefined if the language is unknown, or it takes too long
 */
export async function findCodeParts(
  request: CodeRequest,
  signal: AbortSignal,
): Promise<readonly CodePart[] | undefined> {
  waiting++
  const found = last.then(() => (signal.aborted ? undefined : askWorker(request, signal)))
  last = found.catch(() => undefined)
  try {
    return await found
  } finally {
    waiting--
    if (waiting === 0) endWorker()
  }
}

function endWorker(): void {
  worker?.terminate()
  worker = undefined
}

function askWorker(request: CodeRequest, signal: AbortSignal): Promise<readonly CodePart[] | undefined> {
  worker ??= new Worker(new URL('./code.worker.ts', import.meta.url), { type: 'module', name: 'code' })
  const asked = worker
  return new Promise((resolve) => {
    const finish = (parts: readonly CodePart[] | undefined) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(parts)
    }
    const stop = () => {
      endWorker()
      finish(undefined)
    }
    const timer = setTimeout(stop, maxMs)
    signal.addEventListener('abort', stop)
    asked.onmessage = ({ data }: MessageEvent<readonly CodePart[] | undefined>) => finish(data)
    // The worker could not be loaded, or failed on this code, which is readable without colours, too.
    asked.onerror = stop
    asked.postMessage(request)
  })
}
