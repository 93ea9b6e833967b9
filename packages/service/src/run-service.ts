import { CairnError } from '@cairn/protocol'
import { keepFilesPrivate } from './private-files.ts'
import { untilStopped } from './until-stopped.ts'

/** With what a service's process ends when it could not start. */
export const exitCodes = {
  /** Another try may help: a database that is down, a fault that nobody foresaw. */
  failed: 1,
  /** Starting it again changes nothing until an operator did something (EX_CONFIG of sysexits). */
  needsOperator: 78,
} as const

/** How the process of a service runs. */
export type ServiceProgram<Service extends AsyncDisposable> = {
  start(): Promise<Service>
  /** What the process that started it hears once it is ready. */
  describe(service: Service): { url: string; publicKey?: string }
  /** Logs what ends the service in the middle. */
  onFault(service: Service, error: unknown): void
}

/**
 * The whole life of a service's process: files for its owner alone, start, signal, end. A start that is refused ends with
 * one sentence, what to do, and an {@link exitCodes}; only a fault that nobody foresaw shows a stack.
 */
export async function runService<Service extends AsyncDisposable>(program: ServiceProgram<Service>): Promise<void> {
  keepFilesPrivate()
  try {
    const service = await program.start()
    process.send?.(program.describe(service))
    await untilStopped((error) => program.onFault(service, error))
    await service[Symbol.asyncDispose]()
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`)
    process.exitCode = exitCodeOf(error)
  } finally {
    // The channel to whoever started it would keep the process.
    if (process.connected) process.disconnect()
  }
}

/** What a person reads of a failure: for errors of ours a sentence and what to do, for others all there is. */
export function explainFailure(error: unknown): string {
  if (CairnError.is(error)) return `${error.message}\n${error.hint}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** The exit code for a failure: see {@link exitCodes}. */
export function exitCodeOf(error: unknown): number {
  const codes = ['INVALID_CONFIGURATION', 'CONFLICT', 'RECOVERY_NEEDED'] as const
  return codes.some((code) => CairnError.is(error, code)) ? exitCodes.needsOperator : exitCodes.failed
}
