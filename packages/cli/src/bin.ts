#!/usr/bin/env node
import { readEnvironment } from './environment.ts'
import { run } from './run.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The first signal asks the command to clean up, the second exits without waiting.
    if (stop.signal.aborted) process.exit(130)
    stop.abort()
  })
}
// `cairn ls | head -1` closes the pipe: the reader has all it needs.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}
process.exitCode = await run(process.argv.slice(2), readEnvironment(), process, stop.signal)
// An aborted upload from standard input would wait for the rest of it.
process.stdin.destroy()
