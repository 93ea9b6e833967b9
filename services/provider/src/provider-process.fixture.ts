import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { LeafWindow, PieceStatus } from '@cairn/protocol'
import { pollMs, testKey } from './test-provider.fixture.ts'

/** A provider in a separate process. */
export type ProviderProcess = {
  readonly url: string
  offer(piece: string, url: string, content?: readonly LeafWindow[]): Promise<{ status: number; code: string | null }>
  /** Returns the state of a piece; undefined when it was never offered. */
  status(piece: string): Promise<PieceStatus | undefined>
  until(piece: string, isThere: (status: PieceStatus) => boolean): Promise<PieceStatus>
  /** Sends a signal, waits for the process to exit and returns its exit code. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
}

/**
 * Starts the program on a folder.
 * @param maxFileBlocks maximum file length in blocks of 1,024 bytes, which simulates a full disk
 */
export async function startProviderProcess(
  home: string,
  sources: string,
  { maxFileBlocks, environment = {} }: { maxFileBlocks?: number; environment?: Record<string, string> } = {},
): Promise<ProviderProcess> {
  const program = join(import.meta.dirname, 'main.ts')
  const command = [process.execPath, '--conditions=@cairn/source', program]
  // bash counts in blocks of 1,024 bytes.
  const shell = ['-c', `ulimit -f ${maxFileBlocks}; exec "$@"`, 'bash', ...command]
  const [file = '', ...args] = maxFileBlocks === undefined ? command : ['bash', ...shell]
  const child = spawn(file, args, {
    env: {
      PATH: process.env['PATH'],
      // Reuses Node's compile cache.
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      CAIRN_PROVIDER_HOME: home,
      CAIRN_PROVIDER_PORT: '0',
      CAIRN_PROVIDER_SECRET: 'ab'.repeat(32),
      CAIRN_PROVIDER_KEY: testKey,
      CAIRN_PROVIDER_SOURCES: sources,
      CAIRN_LOG_LEVEL: 'fatal',
      CAIRN_RATE_FACTOR: '0',
      ...environment,
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const gone = once(child, 'exit')
  const early = gone.then(() => {
    throw new Error('the provider exited before it was ready')
  })
  early.catch(() => undefined)
  const messages: unknown[] = await Promise.race([once(child, 'message'), early])
  const { url } = messages[0] as { url: string }
  const status = async (piece: string): Promise<PieceStatus | undefined> => {
    const response = await fetch(`${url}/pieces/${piece}`)
    return response.status === 200 ? ((await response.json()) as PieceStatus) : undefined
  }
  return {
    url,
    status,
    async offer(piece, from, content) {
      const response = await fetch(`${url}/pieces`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ piece, url: from, content }),
      })
      await response.arrayBuffer()
      return { status: response.status, code: response.headers.get('x-cairn-code') }
    },
    async until(piece, isThere) {
      for (;;) {
        const now = await status(piece)
        if (now !== undefined && isThere(now)) return now
        await setTimeout(pollMs)
      }
    },
    async end(signal) {
      child.kill(signal)
      const [code]: unknown[] = await gone
      return typeof code === 'number' ? code : null
    },
  }
}
