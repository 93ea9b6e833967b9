import { choosePreview } from '../preview-kind.ts'
import type { Zip } from './open-zip.ts'
import { attribute, childrenOf, parseXml } from './xml.ts'

/** Target of a relationship: another part of the file, or an address outside. */
export type Relation = { target: string; isExternal: boolean }

/**
 * Reads a part of a file as XML.
 * @returns undefined if the file has no such part
 */
export async function readPart(zip: Zip, path: string): Promise<Element | undefined> {
  const bytes = await zip.read(path)
  return bytes === undefined ? undefined : parseXml(bytes)
}

/** Reads the relationships of a part, by their ids. */
export async function readRelations(zip: Zip, path: string): Promise<ReadonlyMap<string, Relation>> {
  const at = path.lastIndexOf('/') + 1
  const root = await readPart(zip, `${path.slice(0, at)}_rels/${path.slice(at)}.rels`)
  return new Map(
    childrenOf(root, 'Relationship').map((one) => {
      const target = attribute(one, 'Target') ?? ''
      const isExternal = attribute(one, 'TargetMode') === 'External'
      return [attribute(one, 'Id') ?? '', { target: isExternal ? target : resolvePath(path, target), isExternal }]
    }),
  )
}

/** Resolves the path of a part against that of the part that names it. */
export function resolvePath(from: string, target: string): string {
  const names = target.startsWith('/') ? [] : from.split('/').slice(0, -1)
  for (const name of target.split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return names.join('/')
}

/** Returns a picture of the file with a safe type; undefined for types that browsers do not show as images. */
export async function readPicture(zip: Zip, path: string | undefined): Promise<Blob | undefined> {
  const { kind, type } = choosePreview(path ?? '', null)
  const bytes = path === undefined || kind !== 'image' ? undefined : await zip.read(path)
  return bytes === undefined ? undefined : new Blob([bytes], { type })
}
