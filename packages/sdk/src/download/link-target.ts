import { resolvePath } from '@cairn/unixfs'
import type { Client } from '../client.ts'
import { describeDamage } from './car-source.ts'
import { parseContentPath } from './content-path.ts'
import { openOwnSource } from './open-own-source.ts'

/**
 * Returns the target of a symbolic link; undefined if the content is not a link.
 * @throws CairnError BLOCK_NOT_FOUND, VERIFICATION_FAILED, …
 */
export async function readLinkTarget(
  client: Client,
  cidPath: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const path = parseContentPath(cidPath)
  const source = await openOwnSource(client, path, { scope: 'block' }, signal)
  try {
    const { node } = await resolvePath(source, path.root, path.segments)
    return node.kind === 'symlink' ? node.target : undefined
  } catch (error) {
    throw describeDamage(error, signal)
  } finally {
    await source.close()
  }
}

const maxTargetBytes = 4096

/**
 * Returns whether a symbolic link stays inside the downloaded folder, whatever the other links in it are. It may go up first, at
 * most to the top, and then only down: a `..` after a name could escape through a link of that name.
 * @param names the names of the link from the top
 */
export function staysInside(names: readonly string[], target: string): boolean {
  if (target === '' || target.length > maxTargetBytes || /^\/|^[a-z]:|[\\\0]/i.test(target)) return false
  const steps = target.split('/').filter((step) => step !== '' && step !== '.')
  const down = steps.findIndex((step) => step !== '..')
  const ups = down === -1 ? steps.length : down
  return ups < names.length && !steps.slice(ups).includes('..')
}
