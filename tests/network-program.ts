import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type NetworkProfile, parseNetworkProfile } from '@cairn/protocol'
import { programEnvironment } from './program-environment.ts'

/** `npm start` as a process. */
export type NetworkProgram = {
  readonly child: ChildProcess
  /** Whether it reported that it is ready; false if it exited before. */
  readonly ready: boolean
  /** Its complete output. */
  output(): string
}

const bin = resolve(import.meta.dirname, '../apps/local/src/bin.ts')

/**
 * Starts the command and waits until it reports that it is ready, or ends.
 * @param onSpawn receives the process as soon as it exists
 */
export async function startNetworkProgram(
  { home, offset }: { home: string; offset: number },
  onSpawn?: (child: ChildProcess) => void,
  args: readonly string[] = [],
): Promise<NetworkProgram> {
  const child = spawn(
    process.execPath,
    ['--conditions=@cairn/source', '--disable-warning=ExperimentalWarning', bin, ...args],
    {
      env: { ...programEnvironment, CAIRN_HOME: home, CAIRN_PORT_OFFSET: String(offset) },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  onSpawn?.(child)
  let output = ''
  const ready = await new Promise<boolean>((done) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
        if (output.includes('Press Ctrl-C to stop')) done(true)
      })
    }
    child.once('close', () => done(false))
  })
  return { child, output: () => output, ready }
}

/** Requests a stop and waits for the exit. @returns the exit code */
export async function stopProgram(child: ChildProcess, signal: 'SIGTERM' | 'SIGINT'): Promise<number | null> {
  const exit = once(child, 'exit')
  child.kill(signal)
  const [code] = await exit
  return code
}

/** The profile that a network wrote to its home. */
export function readProfile(home: string): NetworkProfile {
  return parseNetworkProfile(JSON.parse(readFileSync(join(home, 'network.json'), 'utf8')))
}
