import { Writable } from 'node:stream'
import pino, { type Logger } from 'pino'

/** A line of a log. */
export type LogLine = { level: number; msg: string; [name: string]: unknown }

export const levels = { info: 30, warn: 40, error: 50 }

/** A real log with lines that a test reads. */
export function openLog(): { log: Logger; lines(): LogLine[] } {
  const texts: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      texts.push(String(chunk))
      done()
    },
  })
  return {
    log: pino({ level: 'trace' }, sink),
    lines: () => texts.map((text): LogLine => JSON.parse(text)),
  }
}
