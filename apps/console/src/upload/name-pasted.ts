import { messages } from '../messages/messages.ts'
import type { PathFile } from '../transfers/path-file.ts'

/** The name that browsers give to every copied picture. */
const usualName = /^image(\.\w+)$/

/**
 * Names a pasted picture by the time, such as `Pasted image 2026-12-01 09.30.00.png`: with its usual name, each picture would become
 * a version of the one before.
 */
export function namePasted(files: readonly PathFile[], now = new Date()): PathFile[] {
  const [only, ...others] = files
  const end = only === undefined || others.length > 0 ? undefined : usualName.exec(only.path)?.[1]
  if (only === undefined || end === undefined) return [...files]
  const { type, lastModified } = only.file
  const name = `${messages.upload.pastedImage(toLocalTime(now))}${end}`
  return [{ path: name, file: new File([only.file], name, { type, lastModified }) }]
}

/** Without colons, which file systems refuse. */
function toLocalTime(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 19).replace('T', ' ').replaceAll(':', '.')
}
