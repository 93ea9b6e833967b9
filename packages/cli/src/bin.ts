#!/usr/bin/env node
import { readEnvironment } from './environment.ts'
import { exitCodes } from './exit-codes.ts'
import { endsWithOutput, reportOutputFailure, run } from './run.ts'
import { openStdin } from './terminal/streams.ts'

const environment = readEnvironment()
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    // The first signal asks the command to clean up, the second exits without waiting.
    if (stop.signal.aborted) process.exit(130)
    stop.abort()
  })
}
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      // `cairn ls | head -1` closes the pipe: the reader has all it needs. `cairn upload a b c | head -1` still uploads all.
      if (endsWithOutput(process.argv.slice(2))) process.exit(0)
      return
    }
    // The rest of the output is lost, such as on a full disk.
    if (stream === process.stdout) reportOutputFailure(process.argv.slice(2), environment, process, error)
    process.exit(exitCodes.failed)
  })
}
const { stdout, stderr } = process
const stdin = openStdin()
process.exitCode = await run(process.argv.slice(2), environment, { stdin, stdout, stderr }, stop.signal)
// An aborted upload from standard input would wait for the rest of it.
stdin.destroy()
if (stop.signal.aborted) {
  // Libraries have timers that no signal stops: a wait for a transaction would keep the process for ten minutes.
  const flushed = [stdout, stderr].map((stream) => new Promise<void>((done) => stream.write('', () => done())))
  await Promise.all(flushed)
  process.exit()
}
