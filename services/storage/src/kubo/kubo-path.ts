import { CairnError } from '@cairn/protocol'
import type { CID } from 'multiformats/cid'
import { parseCid } from '../content/parse-cid.ts'
import { type Entity, openPath } from '../gateway/gateway.ts'
import type { Denylist } from '../moderation/moderation.ts'
import type { NameClient, NameResolver } from '../names/names.ts'
import type { PackStore } from '../packs/packs.ts'

/** Dependencies of path resolution. */
export type KuboReading = {
  readonly packs: PackStore
  readonly names: NameResolver
  readonly denylist: Denylist
}

/** A path with its names resolved: a CID, and the path segments below it. */
export type FollowedPath = { cid: CID; cidText: string; segments: readonly string[] }

/** The target of a path, and its name. */
export type KuboEntity = Entity & { name: string }

/**
 * Parses `{cid}/{path}`, `/ipfs/{cid}/{path}`, `/ipns/{name}/{path}` or the same as `ipfs://` and `ipns://`, and
 * resolves the name. Reads no block.
 * @throws CairnError INVALID_CID, INVALID_NAME, INVALID_PATH, CONTENT_DENIED, CONTENT_DENIED_BY_LAW, and as `NameResolver.resolve`
 */
export async function followKuboPath(
  { names, denylist }: Pick<KuboReading, 'names' | 'denylist'>,
  arg: string,
  client: NameClient,
): Promise<FollowedPath> {
  const path = arg.replace(/^(ip[fn]s):\/\//, '/$1/').replace(/^\/ipfs\/+/, '')
  const isName = path.startsWith('/ipns/')
  const [root = '', ...parts] = (isName ? path.slice('/ipns/'.length) : path).split('/')
  const segments = parts.filter((part) => part !== '' && part !== '.')
  if (segments.includes('..')) throw new CairnError('INVALID_PATH', { message: 'A path must not contain ".."' })
  if (!isName) {
    const cid = parseCid(root, arg)
    denylist.requireContent(cid, segments)
    return { cid, cidText: root, segments }
  }
  const name = names.read(root)
  if (name === undefined)
    throw new CairnError('INVALID_NAME', { message: `"${root.slice(0, 200)}" is not a valid name` })
  const { cid, cidText, segments: above } = await names.resolve(name, segments, client, denylist)
  return { cid, cidText, segments: [...above, ...segments] }
}

/** Opens the target of a path. @throws CairnError as `followKuboPath`; UnixfsError as `openPath` */
export async function openKuboPath(reading: KuboReading, arg: string, client: NameClient): Promise<KuboEntity> {
  const followed = await followKuboPath(reading, arg, client)
  const entity = await openPath(reading.packs, { ...followed, trailingSlash: false }, client.signal)
  return { ...entity, name: followed.segments.at(-1) ?? followed.cidText }
}
