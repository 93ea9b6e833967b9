import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { CairnError, MIB } from '@cairn/protocol'
import type { LogGate } from '@cairn/service'

/** A stored list. The text is empty if the version is already known. */
export type ListFile = { name: string; version: string; text: string }

/** Maximum size of a list in bytes, about five million rules. */
export const maxListBytes = 512 * MIB

/**
 * Reads files, and every `*.deny` of folders in the order of their names. A list that cannot be read, also because its folder
 * cannot, keeps its known version.
 * @param known the known version of each list, by name
 */
export async function readListFiles(
  places: readonly string[],
  known: ReadonlyMap<string, { readonly version: string }>,
  failures: Pick<LogGate, 'failed' | 'recovered'>,
): Promise<ListFile[]> {
  const lists: ListFile[] = []
  for (const place of places) {
    const errors: unknown[] = []
    const names = await findFiles(place).catch((error: unknown) => {
      errors.push(error)
      return [...known.keys()].filter((name) => name === place || name === join(place, basename(name))).sort()
    })
    for (const name of names) {
      const version = known.get(name)?.version
      try {
        lists.push(await readList(name, version))
      } catch (error) {
        errors.push(error)
        if (version !== undefined) lists.push({ name, version, text: '' })
      }
    }
    const key = `denylist ${place}`
    if (errors.length === 0) failures.recovered(key, 'denylist is readable again', { list: place })
    else failures.failed(key, errors[0], 'failed to read a denylist', { list: place })
  }
  return lists
}

async function readList(name: string, knownVersion: string | undefined): Promise<ListFile> {
  const { mtimeMs, size, ino } = await stat(name)
  if (size > maxListBytes) throw tooLarge(name, size)
  const version = `${mtimeMs} ${size} ${ino}`
  return { name, version, text: knownVersion === version ? '' : await readFile(name, 'utf8') }
}

/** Returns the error for a list that is too large. */
export function tooLarge(name: string, sizeBytes: number): CairnError {
  return new CairnError('PAYLOAD_TOO_LARGE', {
    message: `The denylist ${name} has ${sizeBytes} bytes, the limit is ${maxListBytes} bytes`,
    hint: 'Split it, or subscribe to a smaller one.',
    details: { limitBytes: maxListBytes },
  })
}

async function findFiles(place: string): Promise<string[]> {
  if (!(await stat(place)).isDirectory()) return [place]
  const names = await readdir(place)
  return names
    .filter((name) => name.endsWith('.deny'))
    .sort()
    .map((name) => join(place, name))
}
