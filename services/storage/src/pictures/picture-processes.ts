import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { CairnError } from '@cairn/protocol'
import type { PictureOptions } from './picture-options.ts'
import type { PictureAnswer, PictureTask } from './picture-process.ts'
import type { PictureLimits } from './render-picture.ts'

/** A picture to render. */
export type PictureJob = {
  /** Reads the file. */
  read: (signal: AbortSignal) => Iterable<Uint8Array> | AsyncIterable<Uint8Array>
  options: PictureOptions
}

export type PictureProcesses = {
  /**
   * Renders a picture when a process is free.
   * @param signal ends the wait and the reading of the file; a picture whose rendering has begun is finished
   * @throws CairnError PICTURE_TOO_LARGE after the time limit, INTERNAL if the process died; errors of `read` unchanged
   */
  render(job: PictureJob, signal: AbortSignal): Promise<PictureAnswer>
  /** Ends all processes; pictures in progress fail. */
  close(): Promise<void>
}

export type PictureProcessSettings = {
  /** Maximum number of processes. */
  max: number
  limits: PictureLimits
  /** Time for one picture in ms, after which its process is killed. */
  timeLimitMs: number
}

/** An unused process holds about 70 MiB. */
const idleMs = 60_000

/**
 * Renders pictures in processes of their own: decoders are native code that reads hostile files, and a crash, a hang
 * or a leak there must not reach the process that stores uploads. They get no environment, and so no secrets.
 */
export function createPictureProcesses({ max, limits, timeLimitMs }: PictureProcessSettings): PictureProcesses {
  const running = new Set<ChildProcess>()
  const idle: { child: ChildProcess; timer: NodeJS.Timeout }[] = []
  const waiting: (() => void)[] = []
  let busy = 0
  let isClosed = false

  const start = (): ChildProcess => {
    const child = fork(new URL('./picture-process.ts', import.meta.url), {
      execArgv: [],
      // Fewer arenas keep the memory of large pictures from staying allocated.
      env: { MALLOC_ARENA_MAX: '2' },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    running.add(child)
    const gone = () => {
      running.delete(child)
      const at = idle.findIndex((one) => one.child === child)
      if (at !== -1) clearTimeout(idle.splice(at, 1)[0]?.timer)
    }
    child.once('exit', gone)
    child.once('error', gone)
    return child
  }

  const acquire = (): ChildProcess => {
    const kept = idle.pop()
    if (kept === undefined) return start()
    clearTimeout(kept.timer)
    kept.child.ref()
    kept.child.channel?.ref()
    return kept.child
  }

  const release = (child: ChildProcess): void => {
    if (!isUsable(child)) return
    // Only a picture in progress keeps the service alive.
    child.unref()
    child.channel?.unref()
    idle.push({ child, timer: setTimeout(() => child.kill('SIGKILL'), idleMs).unref() })
  }

  const awaitTurn = async (signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted()
    if (busy < max) {
      busy++
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      waiting.splice(waiting.indexOf(resolve), 1)
      reject(signal.reason)
    }
    signal.addEventListener('abort', leave, { once: true })
    waiting.push(resolve)
    await promise.finally(() => signal.removeEventListener('abort', leave))
  }

  /** Passes the turn on, so that the count of busy processes stays. */
  const endTurn = (): void => {
    const next = waiting.shift()
    if (next === undefined) busy--
    else next()
  }

  return {
    async render(job, signal) {
      await awaitTurn(signal)
      try {
        if (isClosed) throw new CairnError('UNAVAILABLE')
        const child = acquire()
        try {
          return await exchange(child, job, { limits, timeLimitMs, signal })
        } finally {
          release(child)
        }
      } finally {
        endTurn()
      }
    },
    async close() {
      isClosed = true
      const ends = [...running].map((child) => {
        // An idle one would not keep this process until it is gone.
        child.ref()
        child.kill('SIGKILL')
        return once(child, 'exit')
      })
      await Promise.all(ends)
    },
  }
}

function isUsable({ connected, killed, exitCode, signalCode }: ChildProcess): boolean {
  return connected && !killed && exitCode === null && signalCode === null
}

/** Sends a file to a process, and returns its answer. */
async function exchange(
  child: ChildProcess,
  { read, options }: PictureJob,
  { limits, timeLimitMs, signal }: { limits: PictureLimits; timeLimitMs: number; signal: AbortSignal },
): Promise<PictureAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<PictureAnswer>()
  // The wait for it begins after the file was sent.
  promise.catch(() => undefined)
  const died = () => reject(new CairnError('INTERNAL', { message: 'The process of a picture ended' }))
  child.once('message', resolve)
  child.once('exit', died)
  child.once('error', died)
  const late = new AbortController()
  const timer = setTimeout(() => {
    const error = new CairnError('PICTURE_TOO_LARGE', {
      message: `The picture takes longer than ${timeLimitMs / 1000} s`,
    })
    late.abort(error)
    reject(error)
    child.kill('SIGKILL')
  }, timeLimitMs)
  try {
    try {
      for await (const bytes of read(AbortSignal.any([signal, late.signal])))
        await send(child, { kind: 'bytes', bytes })
    } catch (error) {
      if (isUsable(child)) await send(child, { kind: 'drop' }).catch(() => undefined)
      throw late.signal.aborted ? late.signal.reason : error
    }
    await send(child, { kind: 'render', options, limits })
    return await promise
  } finally {
    clearTimeout(timer)
    child.off('message', resolve)
    child.off('exit', died)
    child.off('error', died)
  }
}

function send(child: ChildProcess, task: PictureTask): Promise<void> {
  return new Promise((resolve, reject) => {
    child.send(task, (error) => {
      if (error === null) return resolve()
      // It may be gone although its exit is not reported yet: no other picture gets it.
      child.kill('SIGKILL')
      reject(new CairnError('INTERNAL', { cause: error }))
    })
  })
}
