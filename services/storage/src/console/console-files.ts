import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { CairnError } from '@cairn/protocol'
import { lookup } from 'mrmime'

/** One file of the built console, as it is answered. */
export type ConsoleFile = {
  type: string
  etag: string
  /** Its name holds a hash of its content, so it never changes. */
  isImmutable: boolean
  /** The bytes, plain and as they were compressed when the console was built. */
  bodies: { identity: Buffer; br?: Buffer; gzip?: Buffer }
}

/** More than any build of the console has. */
const filesMost = 2000
const totalBytesMost = 64 * 1024 * 1024

/**
 * Reads a built console into memory, once: it is a few megabytes, and a build that is replaced under a running service
 * must not give pages whose parts belong to another.
 * @returns the files by their path, such as `/assets/main-1a2b.js`
 * @throws CairnError INVALID_CONFIGURATION where the folder holds no console
 */
export async function readConsoleFiles(folder: string): Promise<ReadonlyMap<string, ConsoleFile>> {
  const names = await listFiles(folder)
  const paths = new Map(names.map((name) => [`/${relative(folder, name).split(sep).join('/')}`, name]))
  if (!paths.has('/index.html') || paths.size > filesMost) {
    throw new CairnError('INVALID_CONFIGURATION', {
      message: `CAIRN_CONSOLE_FOLDER: ${folder} is no built console`,
      hint: 'Run `npm run build`, and name the folder apps/console/dist.',
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
    if (totalBytes > totalBytesMost) {
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
