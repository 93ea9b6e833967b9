import { CairnError, withoutTrailing } from '@cairn/protocol'
import { isSafeName, type NameProbe, openNameProbe } from '#platform/folder-entries'

/** The names in a folder that is saved to the disk. They are untrusted. */
export type DistinctNames = {
  /**
   * Adds a name. If an earlier name resembles it, the folder exists already.
   * @throws CairnError INVALID_PATH for a name that leaves the folder; DUPLICATE_NAME for a name that the file system treats as
   *   an earlier one
   */
  add(name: string): Promise<void>
  /** Whether the name, or one that resembles it, was added. */
  has(name: string): boolean
  /** Removes the files that the checks created. */
  close(): Promise<void>
}

/**
 * Checks names before anything is written under them. Names that differ on every file system cost nothing; the others are tried
 * on the file system itself.
 */
export function createDistinctNames(folder: string): DistinctNames {
  const firstByFold = new Map<string, string>()
  const probed = new Set<string>()
  let probe: NameProbe | undefined
  return {
    async add(name) {
      requireSafe(name)
      const fold = foldName(name)
      const first = firstByFold.get(fold)
      if (first === undefined) {
        firstByFold.set(fold, name)
        return
      }
      if (first === name || probed.has(name)) throw equalNames(name, 'The folder contains this name twice')
      probe ??= await openNameProbe(folder)
      for (const one of [first, name]) {
        if (probed.has(one)) continue
        if (!(await probe.add(one))) throw equalNames(one, 'The target treats two names of the folder as one')
        probed.add(one)
      }
    },
    has: (name) => firstByFold.has(foldName(name)),
    async close() {
      await probe?.close()
      probe = undefined
    },
  }
}

/** @throws CairnError INVALID_PATH */
export function requireSafe(name: string): void {
  if (isSafeName(name)) return
  throw new CairnError('INVALID_PATH', {
    message: `The folder contains a name that is not safe to write: ${JSON.stringify(name)}`,
  })
}

/**
 * Folds a name so that names which some file system treats as equal become equal: by case, by Unicode form, by marks that are not
 * shown (HFS+), by dots and spaces at the end (Windows). The file system in use may still distinguish them.
 */
function foldName(name: string): string {
  const folded = name.normalize('NFKD').toUpperCase().normalize('NFKD')
  return withoutTrailing(folded.replace(/\p{Default_Ignorable_Code_Point}/gu, ''), '. ')
}

function equalNames(fileName: string, reason: string): CairnError {
  return new CairnError('DUPLICATE_NAME', {
    message: `${reason}: ${fileName}`,
    hint: 'Save the folder to a file system that distinguishes its names, or download each file by its path.',
    details: { fileName },
  })
}
