import { CairnError } from '@cairn/sdk'

/** A file of a ZIP, or an empty folder, which has no `input`. */
export type Entry = { name: string; lastModified: Date; input?: AsyncIterable<Uint8Array> }

/**
 * Rejects a name that leads out of the folder that a ZIP is unpacked to: stored folders may be made by others. A backslash is a
 * letter in their names, but some programs split paths at it.
 * @throws CairnError INVALID_PATH
 */
export function requireInside(name: string): void {
  const steps = name.split(/[/\\]/)
  const isInside = !name.includes('\0') && steps.every((step) => step !== '' && step !== '.' && step !== '..')
  if (!isInside) throw new CairnError('INVALID_PATH', { details: { fileName: name } })
}
