import { randomUUID } from 'node:crypto'
import { constants, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether the file system of temporary folders supports direct reads and writes. */
export async function hasDirectIo(): Promise<boolean> {
  const tried = join(tmpdir(), `cairn-direct-${randomUUID()}`)
  const { O_CREAT, O_DIRECT, O_WRONLY } = constants
  if (O_DIRECT === undefined) return false
  const opened = await open(tried, O_CREAT | O_WRONLY | O_DIRECT).catch(() => undefined)
  await opened?.close()
  await rm(tried, { force: true })
  return opened !== undefined
}
