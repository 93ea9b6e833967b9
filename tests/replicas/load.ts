import { hash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { createRandom, makeBytes } from '../faults/random-uploads.ts'

/** An acknowledged upload. */
export type Acknowledged = { cid: string; digest: string; sizeBytes: number }

/** Results of the load so far. */
export type LoadCounts = {
  uploads: number
  uploadedBytes: number
  /** Uploads that failed with an error, or were not answered. */
  failedUploads: number
  reads: number
  /** Reads that failed with an error, broke off, or were not answered. */
  failedReads: number
  /** Complete responses with wrong bytes, and acknowledged files reported as missing. */
  wrong: string[]
}

/** Endless uploads and reads through the balancers; a failed request is not repeated. */
export type Load = {
  readonly acknowledged: readonly Acknowledged[]
  readonly counts: LoadCounts
  /** Stops it and waits for the requests in progress. */
  stop(): Promise<void>
}

const uploaders = 4
const readers = 2
const maxFileBytes = 600_000
const largeFileBytes = 9_000_000
/** Pause after a failure, so that an outage does not cause a flood. */
const pauseMs = 100
const timeoutMs = 120_000

/** Starts the load. @param balancers returns the URLs of API and gateway, the preferred one first */
export function startLoad(
  balancers: () => readonly { api: string; gateway: string }[],
  apiKey: string,
  seed: number,
): Load {
  const acknowledged: Acknowledged[] = []
  const counts: LoadCounts = { uploads: 0, uploadedBytes: 0, failedUploads: 0, reads: 0, failedReads: 0, wrong: [] }
  let running = true

  const send = async (part: 'api' | 'gateway', path: string, options: RequestInit): Promise<Response> => {
    const [first, second] = balancers()
    const signal = AbortSignal.timeout(timeoutMs)
    // A client that cannot reach one balancer uses the other. A request that may have been received is not repeated.
    const at = first ?? second
    if (at === undefined) throw new Error('no balancer runs')
    return fetch(`${at[part]}${path}`, { ...options, signal })
  }
  const upload = async (lane: number): Promise<void> => {
    const random = createRandom(seed + lane)
    while (running) {
      const isLarge = random() < 0.05
      const bytes = makeBytes(random, isLarge ? largeFileBytes : Math.floor(random() ** 2 * maxFileBytes) + 1)
      const body = new FormData()
      body.append('file', new Blob([bytes as BlobPart]), `${lane}.bin`)
      try {
        const answer = await send('api', '/api/v0/add', {
          method: 'POST',
          headers: { authorization: `Bearer ${apiKey}` },
          body,
        })
        const result: unknown = await answer.json()
        if (!answer.ok || typeof result !== 'object' || result === null || !('Hash' in result))
          throw new Error(`status ${answer.status}`)
        acknowledged.push({ cid: String(result.Hash), digest: hash('sha256', bytes), sizeBytes: bytes.length })
        counts.uploads++
        counts.uploadedBytes += bytes.length
      } catch {
        counts.failedUploads++
        await wait(pauseMs)
      }
    }
  }
  const read = async (lane: number): Promise<void> => {
    const random = createRandom(seed + 1000 + lane)
    while (running) {
      // Half of them are the newest, because a file acknowledged by another replica must be there.
      const at = random() < 0.5 ? acknowledged.length - 1 : Math.floor(random() * acknowledged.length)
      const file = acknowledged[at]
      if (file === undefined) {
        await wait(pauseMs)
        continue
      }
      const result = await readFile(file, (path) => send('gateway', path, {}))
      if (result === 'right') counts.reads++
      else if (result === 'failed') {
        counts.failedReads++
        await wait(pauseMs)
      } else counts.wrong.push(`${file.cid}: ${result}`)
    }
  }
  const lanes = [
    ...Array.from({ length: uploaders }, (_, lane) => upload(lane)),
    ...Array.from({ length: readers }, (_, lane) => read(lane)),
  ]
  return {
    acknowledged,
    counts,
    async stop() {
      running = false
      await Promise.all(lanes)
    },
  }
}

/** Reads a file and compares it. */
export async function readFile(
  { cid, digest }: Acknowledged,
  get: (path: string) => Promise<Response>,
): Promise<'right' | 'wrong' | 'missing' | 'failed'> {
  try {
    const answer = await get(`/ipfs/${cid}`)
    const bytes = new Uint8Array(await answer.arrayBuffer())
    if (answer.status === 404 || answer.status === 410) return 'missing'
    if (!answer.ok) return 'failed'
    return hash('sha256', bytes) === digest ? 'right' : 'wrong'
  } catch {
    return 'failed'
  }
}
