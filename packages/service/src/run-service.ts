import { flushCompileCache } from 'node:module'
import { CairnError } from '@cairn/protocol'
import { keepFilesPrivate } from './private-files.ts'
import { untilStopped } from './until-stopped.ts'

/** Exit codes of a service that could not start. */
export const exitCodes = {
  /** A retry may help, for example if the database was down. */
  failed: 1,
  /** An operator must change something first (`EX_CONFIG` of sysexits). */
  needsOperator: 78,
} as const

/** Parts of a service process. */
export type ServiceProgram<Service extends AsyncDisposable> = {
  start(): Promise<Service>
  /** Returns the message to the parent process when the service is ready. */
  describe(service: Service): { url: string; publicKey?: string }
  /** Logs an unhandled rejection, which stops the service. */
  onFailure(service: Service, error: unknown): void
}

/**
 * Runs a service as the process: restricts its files to their owner, starts it, waits for a signal, stops it. A failed
 * start prints one sentence and what to do, and exits with one of {@link exitCodes}. Only an unexpected error prints a
 * stack.
 */
export async function runService<Service extends AsyncDisposable>(program: ServiceProgram<Service>): Promise<void> {
  keepFilesPrivate()
  try {
    const service = await program.start()
    process.send?.(program.describe(service))
    // A process that is killed leaves its compiled code for the next start, too.
    flushCompileCache()
    await untilStopped((error) => program.onFailure(service, error))
    await service[Symbol.asyncDispose]()
  } catch (error) {
    process.stderr.write(`${explainFailure(error)}\n`)
    process.exitCode = exitCodeOf(error)
  } finally {
    // The channel to the parent would keep the process running.
    if (process.connected) process.disconnect()
  }
}

/** The problem of a path, by the error code of the system. */
const pathFailures: Readonly<Record<string, string>> = {
  EACCES: 'cannot be used: permission denied',
  EEXIST: 'is not a folder',
  EISDIR: 'is a folder',
  ENOENT: 'does not exist',
  ENOTDIR: 'is not a folder',
  EPERM: 'cannot be used: permission denied',
  EROFS: 'is on a read-only file system',
}

function isOfFullDisk(error: unknown): boolean {
  if (CairnError.is(error, 'STORAGE_FULL')) return true
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}

/** Describes an error of the system about a path, which an operator can fix; returns any other error unchanged. */
function describePathFailure(error: unknown): unknown {
  if (isOfFullDisk(error)) {
    const place = error instanceof Error && 'path' in error ? ` of ${String(error.path)}` : ''
    return new CairnError('STORAGE_FULL', {
      message: `The disk${place} is full`,
      hint: 'Free some space on the disks of the data and the packs, then try again.',
      cause: error,
    })
  }
  if (!(error instanceof Error) || !('code' in error) || !('path' in error)) return error
  const failure = pathFailures[String(error.code)]
  const isFolder = 'syscall' in error && error.syscall === 'mkdir'
  if (failure === undefined || (error.code === 'EEXIST' && !isFolder)) return error
  const problem = error.code === 'ENOENT' && isFolder ? 'cannot be created' : failure
  return new CairnError('INVALID_CONFIGURATION', {
    message: `${String(error.path)} ${problem} (${String(error.code)})`,
    hint: 'Check the setting or argument that names it, its owner and its permissions.',
    cause: error,
  })
}

/** Returns the text of a failure for people: message and hint of a CairnError, the stack of any other error. */
export function explainFailure(failure: unknown): string {
  const error = describePathFailure(failure)
  if (CairnError.is(error)) return `${error.message}\n${error.hint}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

/** Returns the exit code for a failure. @see exitCodes */
export function exitCodeOf(failure: unknown): number {
  const error = describePathFailure(failure)
  const codes = [
    'INVALID_CONFIGURATION',
    'CONFLICT',
    'RECOVERY_NEEDED',
    'BACKUP_KEY',
    'BACKUP_NEWER',
    'BACKUP_OF_ANOTHER',
  ] as const
  return codes.some((code) => CairnError.is(error, code)) ? exitCodes.needsOperator : exitCodes.failed
}
