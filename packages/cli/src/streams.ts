import type { Readable, Writable } from 'node:stream'

/** Standard input: a terminal, a pipe or a file. */
export type Source = Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown }

/** Standard output or standard error: a terminal, a pipe or a file. */
export type Sink = Writable & { isTTY?: boolean; columns?: number }

/** What a command reads from and writes to: the streams of the process, or a caller's own. */
export type Streams = { stdin: Source; stdout: Sink; stderr: Sink }
