import { join } from 'node:path'
import { CairnError, MIB } from '@cairn/protocol'
import { createAddressSlots, type LogGate, matchAddresses } from '@cairn/service'
import type { StorageConfig } from '../config.ts'
import type { StorageMetrics } from '../metrics.ts'
import { createPictureCache } from './picture-cache.ts'
import { describePicture, maxSidePixels, type PictureOptions } from './picture-options.ts'
import type { PictureAnswer } from './picture-process.ts'
import { createPictureProcesses, type PictureJob } from './picture-processes.ts'
import { readVersion } from './read-version.ts'
import type { RenderedPicture, RenderFailure } from './render-picture.ts'

export { describePicture, findPictureQuery, type PictureOptions, readPictureOptions } from './picture-options.ts'
export type { RenderedPicture } from './render-picture.ts'

/** A picture to return. */
export type PictureRequest = {
  /** CID of the file. */
  cid: string
  /** Size of the file in bytes. */
  sizeBytes: number
  options: PictureOptions
  read: PictureJob['read']
  /** Whether only this client may see it: it is rendered only for this request, and not cached. */
  isPrivate?: boolean
  /** IP address of the client, for limits. */
  address: string
  /** Fires when the client disconnects. */
  signal: AbortSignal
}

export type Pictures = AsyncDisposable & {
  /**
   * Returns the version of the results: two of one version are equal for equal options.
   * @throws CairnError PICTURES_UNAVAILABLE if the library is not installed or resizing is off
   */
  requireVersion(): string
  /**
   * Returns a picture, from the cache if it was rendered before. Equal concurrent requests are rendered once.
   * @throws CairnError PICTURES_UNAVAILABLE, PICTURE_TOO_LARGE, NOT_A_PICTURE, OVERLOADED, ABORTED; errors of `read`
   */
  get(request: PictureRequest): Promise<RenderedPicture>
}

export type PictureSettings = {
  config: Pick<StorageConfig, 'home' | 'pictures' | 'trustedProxies'>
  metrics: Pick<StorageMetrics, 'pictures' | 'pictureSeconds'>
  failures: Pick<LogGate, 'failed'>
  limits?: Partial<typeof pictureLimits>
  /** Finds the version of the rendering; undefined if the library is not installed. */
  findVersion?: () => string | undefined
}

/** Limits of pictures. A file within them takes up to 0.75 GiB of memory while it is rendered. */
export const pictureLimits = {
  maxInputBytes: 32 * MIB,
  maxInputPixels: 50_000_000,
  maxAvifPixels: 25_000_000,
  maxSidePixels,
  maxOutputBytes: 16 * MIB,
  timeLimitMs: 30_000,
  /** Pictures in progress and waiting, in total and per client address. */
  maxWaiting: 64,
  maxWaitingPerAddress: 16,
}

type Flight = { promise: Promise<RenderedPicture>; waiters: number; abort: AbortController }

/** Creates the renderer of pictures. Starts nothing and creates no file before the first picture. */
export function createPictures({
  config,
  metrics,
  failures,
  limits: own,
  findVersion = readVersion,
}: PictureSettings): Pictures {
  const limits = { ...pictureLimits, ...own }
  const { processes: max, cacheBytes } = config.pictures
  const cache = createPictureCache({ folder: join(config.home, 'cache', 'pictures'), maxBytes: cacheBytes })
  const processes = createPictureProcesses({ max, limits, timeLimitMs: limits.timeLimitMs })
  const slots = createAddressSlots({
    max: limits.maxWaiting,
    maxPerAddress: limits.maxWaitingPerAddress,
    isExempt: matchAddresses(config.trustedProxies),
  })
  const flights = new Map<string, Flight>()
  let version: string | undefined

  const render = async ({ options, read, address }: PictureRequest, signal: AbortSignal): Promise<RenderedPicture> => {
    const release = slots.acquire(address)
    if (release === undefined) throw new CairnError('OVERLOADED', { retryAfterSeconds: 2 })
    const stopTimer = metrics.pictureSeconds.startTimer()
    try {
      return pictureOf(await processes.render({ options, read }, signal), limits)
    } finally {
      stopTimer()
      release()
    }
  }

  const orLog = async <Value>(operation: Promise<Value>): Promise<Value | undefined> => {
    try {
      return await operation
    } catch (error) {
      // A full or broken disk costs time, not pictures.
      failures.failed('picture-cache', error, 'picture cache failed')
      return undefined
    }
  }

  const renderCounted = async (request: PictureRequest, signal: AbortSignal): Promise<RenderedPicture> => {
    try {
      const picture = await render(request, signal)
      metrics.pictures.inc({ result: 'miss' })
      return picture
    } catch (error) {
      metrics.pictures.inc({ result: 'error' })
      throw error
    }
  }

  const load = async (key: string, request: PictureRequest, signal: AbortSignal): Promise<RenderedPicture> => {
    const kept = await orLog(cache.get(key))
    if (kept !== undefined) {
      metrics.pictures.inc({ result: 'hit' })
      return kept
    }
    const picture = await renderCounted(request, signal)
    await orLog(cache.set(key, picture))
    return picture
  }

  const startFlight = (key: string, request: PictureRequest): Flight => {
    const abort = new AbortController()
    const flight = { promise: load(key, request, abort.signal), waiters: 0, abort }
    const land = () => {
      if (flights.get(key) === flight) flights.delete(key)
    }
    flight.promise.then(land, land)
    flights.set(key, flight)
    return flight
  }

  const requireVersion = (): string => {
    if (max === 0) {
      throw new CairnError('PICTURES_UNAVAILABLE', {
        hint: 'The operator turned it off (CAIRN_PICTURE_PROCESSES). Request the file without picture parameters.',
      })
    }
    version ??= findVersion()
    if (version === undefined) throw new CairnError('PICTURES_UNAVAILABLE')
    return version
  }

  return {
    requireVersion,
    async get(request) {
      if (request.sizeBytes > limits.maxInputBytes) {
        throw new CairnError('PICTURE_TOO_LARGE', {
          message: `The picture is ${request.sizeBytes} bytes, the limit is ${limits.maxInputBytes}`,
          details: { limitBytes: limits.maxInputBytes },
        })
      }
      const key = `${requireVersion()} ${request.cid} ${describePicture(request.options)}`
      if (request.isPrivate) return renderCounted(request, request.signal)
      const joined = flights.get(key)
      if (joined !== undefined) metrics.pictures.inc({ result: 'joined' })
      const flight = joined ?? startFlight(key, request)
      flight.waiters++
      try {
        return await untilAborted(flight.promise, request.signal)
      } finally {
        flight.waiters--
        if (flight.waiters === 0) {
          if (flights.get(key) === flight) flights.delete(key)
          flight.abort.abort(new CairnError('ABORTED'))
        }
      }
    },
    [Symbol.asyncDispose]: () => processes.close(),
  }
}

function pictureOf(answer: PictureAnswer, limits: typeof pictureLimits): RenderedPicture {
  switch (answer.kind) {
    case 'rendered':
      return answer.picture
    case 'failed':
      throw failureOf(answer.reason, limits)
    case 'unavailable':
      throw new CairnError('PICTURES_UNAVAILABLE', { cause: answer.reason })
  }
}

function failureOf(
  reason: RenderFailure,
  { maxInputPixels, maxAvifPixels, maxOutputBytes }: typeof pictureLimits,
): CairnError {
  switch (reason) {
    case 'not-a-picture':
      return new CairnError('NOT_A_PICTURE')
    case 'too-many-pixels':
      return new CairnError('PICTURE_TOO_LARGE', {
        message: `The picture has more than ${maxInputPixels} pixels, or as AVIF more than ${maxAvifPixels}`,
        details: { limitPixels: maxInputPixels, limitAvifPixels: maxAvifPixels },
      })
    case 'result-too-large':
      return new CairnError('PICTURE_TOO_LARGE', {
        message: `The result is larger than ${maxOutputBytes} bytes`,
        hint: 'Request fewer pixels, or img-format=webp.',
        details: { limitBytes: maxOutputBytes },
      })
  }
}

/** Waits for a shared result until this client disconnects; others may still wait for it. */
async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
