import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { CairnError } from '@cairn/sdk'

/** The folders that tools may read and write. */
export type Roots = {
  /** Real paths, the first of which relative paths start at. */
  readonly folders: readonly string[]
  /**
   * Returns the real path of an existing file or folder.
   * @throws CairnError FORBIDDEN outside of the roots, FILE_UNREADABLE
   */
  resolveExisting(path: string): Promise<string>
  /**
   * Returns the path of a download: its folder exists, and no link is followed.
   * @throws CairnError FORBIDDEN outside of the roots, FILE_EXISTS, FILE_UNREADABLE
   */
  resolveTarget(path: string, overwrite: boolean): Promise<string>
}

/**
 * Opens the roots of a server.
 * @param excluded files and folders below the roots that stay closed, such as that of the wallet
 * @throws CairnError FILE_UNREADABLE for a root that is not a folder
 */
export async function openRoots(paths: readonly string[], excluded: readonly string[]): Promise<Roots> {
  const folders = await Promise.all(paths.map(openRoot))
  const closed = await Promise.all(excluded.map((path) => realpath(path).catch(() => resolve(path))))
  const start = folders[0] ?? ''
  const requireInside = (real: string, path: string) => {
    if (folders.some((folder) => contains(folder, real))) return
    throw new CairnError('FORBIDDEN', {
      message: `${path} is outside the folders of this server`,
      hint: `Use a path below ${folders.join(' or ')}, or start the server with another --root.`,
    })
  }
  const requireOpen = (real: string, path: string) => {
    // A folder above a closed path contains it.
    if (!closed.some((folder) => contains(folder, real) || contains(real, folder))) return
    throw new CairnError('FORBIDDEN', {
      message: `${path} contains the wallet, a key or a password of the command line`,
      hint: 'Use another file or folder. Tools cannot read or write these files.',
    })
  }
  return {
    folders,
    async resolveExisting(path) {
      const full = resolve(start, path)
      const real = await realpath(full).catch(async (cause: unknown) => {
        // The error of a path outside must not tell whether it exists.
        requireInside(await nearestReal(full), path)
        throw unreadable(path, cause)
      })
      requireInside(real, path)
      requireOpen(real, path)
      return real
    },
    async resolveTarget(path, overwrite) {
      const full = resolve(start, path)
      const folder = await realpath(dirname(full)).catch(async (cause: unknown) => {
        requireInside(await nearestReal(full), path)
        throw unreadable(dirname(path), cause)
      })
      const target = join(folder, basename(full))
      requireInside(target, path)
      requireOpen(target, path)
      const found = await lstat(target).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw unreadable(path, error)
      })
      // An existing folder could contain links that lead out, and a link could itself.
      if (found !== undefined && !(overwrite && found.isFile())) {
        throw new CairnError('FILE_EXISTS', {
          message: `${path} already exists`,
          hint: found.isFile() ? 'Choose another path, or set overwrite.' : 'Choose another path.',
        })
      }
      return target
    },
  }
}

async function openRoot(path: string): Promise<string> {
  const real = await realpath(path).catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  if ((await lstat(real)).isDirectory()) return real
  throw new CairnError('FILE_UNREADABLE', { message: `${path} is not a folder`, hint: 'Set --root to a folder.' })
}

/** Returns the real path of the nearest folder above that exists. */
async function nearestReal(path: string): Promise<string> {
  const parent = dirname(path)
  return realpath(path).catch(() => (parent === path ? path : nearestReal(parent)))
}

/** Returns whether a path is a folder or below it. */
function contains(folder: string, path: string): boolean {
  const below = relative(folder, path)
  return below === '' || (below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below))
}

function unreadable(path: string, cause: unknown): CairnError {
  const why = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
  return new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}${why}`, cause })
}
