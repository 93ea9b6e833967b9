#!/usr/bin/env node
import { readEnvironment } from './environment.ts'
import { run } from './run.ts'

const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The first asks the command to clean up, the second does not wait for it.
    if (stop.signal.aborted) process.exit(130)
    stop.abort()
  })
}
// `cairn ls | head -1` closes the pipe: whoever reads has what they wanted.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
}
process.exitCode = await run(process.argv.slice(2), readEnvironment(), process, stop.signal)
// An upload from standard input that was broken off would wait for the rest of it.
process.stdin.destroy()
