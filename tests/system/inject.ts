import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** System calls by which an upload reaches the disk. */
const diskCalls = [
  'pwrite64',
  'pwritev',
  'fsync',
  'fdatasync',
  'rename',
  'link',
  'openat',
  'mkdir',
  'close',
  'ftruncate',
] as const
export type DiskCall = (typeof diskCalls)[number]

/** The effect at a call: it fails with an error, or the process is killed there. */
export type Fault = 'ENOSPC' | 'EIO' | 'EINVAL' | 'SIGKILL'

/** A tracer on a running process. */
export type Tracer = {
  /** Detaches from the process; returns the trace. */
  detach(): Promise<string>
}

/** Attaches to all threads of a process and, if a fault is given, injects it at the n-th matching call. */
export async function attach(
  pid: number,
  traceFile: string,
  inject?: { call: DiskCall; fault: Fault; nth: number },
): Promise<Tracer> {
  const injection =
    inject === undefined
      ? []
      : [
          '-e',
          `inject=${inject.call}:${inject.fault === 'SIGKILL' ? 'signal' : 'error'}=${inject.fault}:when=${inject.nth}`,
        ]
  const calls = inject?.call ?? diskCalls.join(',')
  const tracer = spawn(
    'strace',
    ['-f', '-y', '-p', String(pid), '-o', traceFile, '-e', `trace=${calls}`, ...injection],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const gone = new Promise<void>((resolve) => tracer.on('exit', () => resolve()))
  await attached(tracer)
  return {
    async detach() {
      // A tracer whose process was killed never reacts to SIGINT, and its trace is not needed then.
      tracer.kill(inject?.fault === 'SIGKILL' ? 'SIGKILL' : 'SIGINT')
      await gone
      return readFileSync(traceFile, 'utf8')
    },
  }
}

function attached(tracer: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    if (tracer.stderr === null) return reject(new Error('strace has no output'))
    let said = ''
    createInterface(tracer.stderr).on('line', (line) => {
      said += `${line}\n`
      if (line.includes('attached')) resolve()
    })
    tracer.on('exit', () => reject(new Error(`strace ended: ${said}`)))
  })
}

/** How often each call was made on a file that can hold data, in a trace. */
export function countCalls(trace: string): Map<DiskCall, number> {
  const counts = new Map<DiskCall, number>()
  for (const line of trace.split('\n')) {
    const call = diskCalls.find((name) => line.includes(` ${name}(`))
    if (call !== undefined) counts.set(call, (counts.get(call) ?? 0) + 1)
  }
  return counts
}
