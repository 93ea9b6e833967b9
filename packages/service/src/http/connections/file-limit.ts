import { readFileSync } from 'node:fs'

/** Assumed if the system does not report a limit: the minimum of most systems, after Node has raised it. */
const assumedFileLimit = 1024
/** Descriptors reserved for uses other than connections: databases, open packs, outgoing calls, the program itself. */
const reservedDescriptors = 128
/** Descriptors per connection: its own, and one of the file that its request reads or writes. */
const descriptorsPerConnection = 2
/** More connections cost more memory than their descriptors are worth. */
const maxDerivedConnections = 10_000
const minDerivedConnections = 16
/** Default maximum per address, whatever the total. */
const maxDerivedPerAddress = 512

/** Returns the maximum number of open files of this process: the soft limit on Linux, an assumption elsewhere. */
export function readFileLimit(path = '/proc/self/limits'): number {
  let limits: string
  try {
    limits = readFileSync(path, 'utf8')
  } catch {
    // Only Linux has this file; the documentation of the setting states the assumption.
    return assumedFileLimit
  }
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1]
  return soft === undefined || soft === 'unlimited' ? assumedFileLimit : Number(soft)
}

/**
 * Returns the maximum number of connections of each of `listeners`, so that all together leave descriptors for
 * everything else.
 * @param fileLimit maximum number of open files of the process
 */
export function deriveMaxConnections(fileLimit: number, listeners: number): number {
  const connections = Math.floor((fileLimit - reservedDescriptors) / descriptorsPerConnection / listeners)
  return Math.min(maxDerivedConnections, Math.max(minDerivedConnections, connections))
}

/**
 * Returns the maximum number of connections per address: a quarter of all, so that a single one cannot fill a listener.
 */
export function deriveMaxPerAddress(maxConnections: number): number {
  return Math.min(maxDerivedPerAddress, Math.max(1, Math.floor(maxConnections / 4)))
}
