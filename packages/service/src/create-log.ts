import pino, { type Logger } from 'pino'

/**
 * Creates the log of a service: JSON lines on the standard output, without API keys.
 * @param base what each line names: the service, and which of its kind it is
 */
export function createLog(level: string, base: Record<string, string | number>): Logger {
  return pino({ level, base, redact: ['req.headers.authorization'] })
}
