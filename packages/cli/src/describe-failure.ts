import { CairnError } from '@cairn/sdk'

/** Errors of the operating system that the user can fix: what happened, and what to do. */
const systemErrors: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOSPC: ['The disk is full', 'Free some space, then run the command again.'],
  EDQUOT: ['Your disk quota is used up', 'Free some space, then run the command again.'],
  EROFS: [
    'The file system is read-only',
    'Use another folder. CAIRN_CONFIG_HOME sets the folder of the wallet and the keys.',
  ],
  EACCES: ['Permission denied', 'Check the permissions of the path.'],
  EPERM: ['Permission denied', 'Check the permissions of the path.'],
  ENOENT: ['The path does not exist or cannot be created', 'Check the path and its permissions.'],
  ENOTDIR: ['A part of the path is not a folder', 'Check the path.'],
  EISDIR: ['The path is a folder', 'Use the path of a file.'],
  ENAMETOOLONG: ['The path is too long', 'Choose a shorter name.'],
  EFBIG: [
    'The file is larger than the file system or the shell limit allows',
    'Use another file system, or raise the limit (ulimit -f).',
  ],
  EIO: ['The disk reported an error', 'Check the disk, or use another one.'],
  EMFILE: ['Too many files are open', 'Raise the limit of open files (ulimit -n), then run the command again.'],
}

/** Turns an unexpected error into one of this program: the messages of the table are about a service. Returns others as they are. */
export function describeFailure(cause: unknown): CairnError {
  if (CairnError.is(cause)) return cause
  return (
    describeSystemError(cause) ??
    new CairnError('INTERNAL', {
      message: `Unexpected error in cairn: ${cause instanceof Error ? cause.message : String(cause)}`,
      hint: 'Report it with the command and the output of cairn --version.',
      cause,
    })
  )
}

/** Describes an error of a file or stream; undefined for all others. */
export function describeSystemError(cause: unknown): CairnError | undefined {
  if (!(cause instanceof Error) || !('syscall' in cause) || !('code' in cause)) return undefined
  const known = systemErrors[String(cause.code)]
  if (known === undefined) return undefined
  const [what, hint] = known
  const path = 'path' in cause && typeof cause.path === 'string' ? `: ${cause.path}` : ''
  return new CairnError('FILE_UNREADABLE', { message: `${what}${path} (${cause.code})`, hint, cause })
}

/** Names the address that a request did not reach, or the problem of TLS; returns any other error unchanged. */
export function describeUnreachable(error: CairnError): CairnError {
  if (!CairnError.is(error, 'NETWORK_ERROR') || error.message !== new CairnError('NETWORK_ERROR').message) return error
  const rejection = findTlsProblem(error.cause)
  if (rejection !== undefined) return new CairnError('NETWORK_ERROR', { ...rejection, cause: error })
  const where = findAddress(error.cause)
  if (where === undefined) return error
  return new CairnError('NETWORK_ERROR', { message: `Cannot reach ${where}`, hint: error.hint, cause: error })
}

/** Codes of OpenSSL for a certificate that it does not accept. */
const certificateCodes =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH$|INVALID_CA$|INVALID_PURPOSE$)/

/** Finds a rejected certificate or a failed handshake in the causes of an error: what happened, and what to do. */
function findTlsProblem(cause: unknown, depth = 0): { message: string; hint: string } | undefined {
  if (!(cause instanceof Error) || depth > 8) return undefined
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return {
      message: `The certificate of the server is for another name: ${cause.message} (${code})`,
      hint: 'Check the address. If it is correct, ask the operator for a certificate with this name.',
    }
  if (code !== undefined && certificateCodes.test(code))
    return {
      message: `The certificate of the server was rejected: ${cause.message} (${code})`,
      hint: 'Check the address and the clock. For a private certificate authority, set NODE_EXTRA_CA_CERTS to the file of its certificate.',
    }
  if (code === 'EPROTO' || code?.startsWith('ERR_SSL_'))
    return {
      message: `No secure connection to the server (${code})`,
      hint: 'Check whether the address has to start with http:// or https://.',
    }
  return findTlsProblem(cause.cause, depth + 1)
}

/** Finds the address and the code of a failed connection in the causes of an error. */
function findAddress(cause: unknown, depth = 0): string | undefined {
  if (!(cause instanceof Error) || depth > 8) return undefined
  const { code, address, hostname, port } = cause as NodeJS.ErrnoException & Record<string, unknown>
  const host = address ?? hostname
  if (typeof host === 'string' && code !== undefined)
    return `${host}${typeof port === 'number' ? ` on port ${port}` : ''} (${code})`
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause.cause
  return findAddress(first, depth + 1)
}
