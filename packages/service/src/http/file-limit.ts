import { readFileSync } from 'node:fs'

/** Assumed where the system does not say: what most systems allow a process at least, after Node has raised its limit. */
const assumedFileLimit = 1024
/** Descriptors kept for what is no connection: databases, packs kept open, outgoing calls, the program itself. */
const reservedDescriptors = 128
/** Descriptors a connection may need: its own, and one of the file that its request reads or writes. */
const descriptorsPerConnection = 2
/** Connections beyond this take more memory than their descriptors are worth. */
const maxDerivedConnections = 10_000
const minDerivedConnections = 16
/** The most that one address gets by default, however many there are. */
const maxDerivedPerAddress = 512

/** Open files this process may have: the soft limit of Linux, an assumption elsewhere. */
export function readFileLimit(path = '/proc/self/limits'): number {
  let limits: string
  try {
    limits = readFileSync(path, 'utf8')
  } catch {
    // Only Linux has this file; the assumption is documented with the setting.
    return assumedFileLimit
  }
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1]
  return soft === undefined || soft === 'unlimited' ? assumedFileLimit : Number(soft)
}

/**
 * Connections that each of `listeners` may have, so that all together leave descriptors for everything else.
 * @param fileLimit open files the process may have
 */
export function deriveMaxConnections(fileLimit: number, listeners: number): number {
  const connections = Math.floor((fileLimit - reservedDescriptors) / descriptorsPerConnection / listeners)
  return Math.min(maxDerivedConnections, Math.max(minDerivedConnections, connections))
}

/** Connections of one address: a quarter of all, so that it takes several to fill a listener. */
export function deriveMaxPerAddress(maxConnections: number): number {
  return Math.min(maxDerivedPerAddress, Math.max(1, Math.floor(maxConnections / 4)))
}
