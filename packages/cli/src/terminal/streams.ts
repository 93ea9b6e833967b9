import { fstatSync } from 'node:fs'
import { Readable, type Writable } from 'node:stream'
import { CairnError } from '@cairn/sdk'

/** Standard input: a terminal, a pipe or a file. */
export type Source = Readable & { isTTY?: boolean; setRawMode?(isRaw: boolean): unknown }

/** Standard output or standard error: a terminal, a pipe or a file. */
export type Sink = Writable & { isTTY?: boolean; columns?: number }

/** What a command reads from and writes to: the streams of the process, or a caller's own. */
export type Streams = { stdin: Source; stdout: Sink; stderr: Sink }

/** Returns the standard input of the process. Node reads a folder as if it were empty; here it is an error. */
export function openStdin(): Source {
  if (process.platform === 'win32' || !fstatSync(0).isDirectory()) return process.stdin
  return new Readable({
    read() {
      const hint = 'Name the folder as an argument, or give a file: cairn … < file.'
      this.destroy(new CairnError('FILE_UNREADABLE', { message: 'Standard input is a folder', hint }))
    },
  })
}
