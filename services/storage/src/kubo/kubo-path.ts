import { CairnError } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import { type Entity, openPath } from '../gateway/open-path.ts'
import { parseCid } from '../gateway/parse-cid.ts'
import type { NameResolver } from '../names/names.ts'
import type { PackStore } from '../packs/packs.ts'

/** What paths are followed with. */
export type KuboReading = { readonly packs: PackStore; readonly names: NameResolver }

/** A path with its names followed: a CID, and the names below it. */
export type FollowedPath = { cid: CID; cidText: string; segments: readonly string[] }

/** What a path led to, and the name that it goes by. */
export type KuboEntity = Entity & { name: string }

/**
 * Reads `{cid}/{path}`, `/ipfs/{cid}/{path}`, `/ipns/{name}/{path}` or the same as `ipfs://` and `ipns://`, and follows
 * the name. No block is read.
 * @throws CairnError INVALID_CID, INVALID_NAME, INVALID_PATH, and as `NameResolver.resolve`
 */
export async function followKuboPath(
  { names }: Pick<KuboReading, 'names'>,
  arg: string,
  signal: AbortSignal,
): Promise<FollowedPath> {
  const path = arg.replace(/^(ip[fn]s):\/\//, '/$1/').replace(/^\/ipfs\//, '')
  const isName = path.startsWith('/ipns/')
  const [root = '', ...parts] = (isName ? path.slice('/ipns/'.length) : path).split('/')
  const segments = parts.filter((part) => part !== '' && part !== '.')
  if (segments.includes('..')) throw new CairnError('INVALID_PATH', { message: 'A path must not contain ".."' })
  if (!isName) return { cid: parseCid(root, arg), cidText: root, segments }
  const name = names.read(root)
  if (name === undefined) throw new CairnError('INVALID_NAME', { message: `"${root.slice(0, 200)}" is no name` })
  const found = await names.resolve(name, signal)
  return { cid: found.cid, cidText: found.cidText, segments: [...found.segments, ...segments] }
}

/** Opens what a path leads to. @throws CairnError as `followKuboPath`; UnixfsError as `openPath` */
export async function openKuboPath(reading: KuboReading, arg: string, signal: AbortSignal): Promise<KuboEntity> {
  const followed = await followKuboPath(reading, arg, signal)
  const entity = await openPath(reading.packs, { ...followed, trailingSlash: false }, signal)
  return { ...entity, name: followed.segments.at(-1) ?? followed.cidText }
}
