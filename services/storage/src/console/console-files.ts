import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { lookup } from 'mrmime'

/** One file of the built console, ready to send. */
export type ConsoleFile = {
  type: string
  etag: string
  /** The file name contains a hash of its content, so it never changes. */
  isImmutable: boolean
  /** The bytes, uncompressed and as compressed during the build. */
  bodies: { identity: Buffer; br?: Buffer; gzip?: Buffer }
}

/** More files than any build of the console has. */
const maxFiles = 2000
const maxTotalBytes = 64 * 1024 * 1024

/**
 * Reads a built console into memory once: it is a few megabytes, and replacing a build under a running service must
 * not mix pages and assets of two builds.
 * @returns the files by path, such as `/assets/main-1a2b.js`
 * @throws CairnError INVALID_CONFIGURATION when the folder holds no console
 */
export async function readConsoleFiles(folder: string): Promise<ReadonlyMap<string, ConsoleFile>> {
  const names = await listFiles(folder)
  const paths = new Map(names.map((name) => [`/${relative(folder, name).split(sep).join('/')}`, name]))
  if (!paths.has('/index.html') || paths.size > maxFiles) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `CAIRN_CONSOLE_FOLDER: ${folder} does not contain a built console`,
      hint: 'Run `npm run build`, then set it to apps/console/dist.',
    })
  }
  const files = new Map<string, ConsoleFile>()
  let totalBytes = 0
  for (const [path, name] of paths) {
    if (/\.(?:br|gz)$/.test(path)) continue
    const identity = await readFile(name)
    const br = paths.get(`${path}.br`)
    const gzip = paths.get(`${path}.gz`)
    totalBytes += identity.length
    if (totalBytes > maxTotalBytes) {
      throw new CairnError('INVALID_CONFIGURATION', { message: 'CAIRN_CONSOLE_FOLDER: the folder is too large' })
    }
    files.set(path, {
      type: contentType(path),
      etag: `"${createHash('sha256').update(identity).digest('base64url').slice(0, 22)}"`,
      isImmutable: path.startsWith('/assets/'),
      bodies: {
        identity,
        ...(br === undefined ? {} : { br: await readFile(br) }),
        ...(gzip === undefined ? {} : { gzip: await readFile(gzip) }),
      },
    })
  }
  return files
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  } catch (cause) {
    throw new CairnError('INVALID_CONFIGURATION', { message: `CAIRN_CONSOLE_FOLDER: ${folder} cannot be read`, cause })
  }
}

function contentType(path: string): string {
  const type = lookup(path) ?? 'application/octet-stream'
  return /^text\/|javascript|json|svg/.test(type) ? `${type}; charset=utf-8` : type
}
