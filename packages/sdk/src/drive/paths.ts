import { CairnError } from '@cairn/protocol'
import { type Node, rootId } from './view/nodes.ts'
import type { View } from './view/view.ts'

const maxNameBytes = 1024
const maxLabelCharacters = 100
/**
 * Control characters, line breaks and lone surrogates. Names may have what those of uploads may, so that each upload can be in a
 * folder: bidirectional controls are part of names in Arabic and Hebrew, and clients mark them on display.
 */
const unnameable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u
const bidirectional = /\p{Bidi_Control}/u
const utf8 = new TextEncoder()

/** Splits a path into names. @throws CairnError INVALID_PATH */
export function splitPath(path: string): string[] {
  const names = path.normalize('NFC').split('/')
  return names.filter((name) => name !== '' && name !== '.')
}

/** Returns the item at a path outside the trash. */
export function findNode(view: View, path: string): Node | undefined {
  let folder = rootId
  let node: Node | undefined
  for (const name of splitPath(path)) {
    if (node !== undefined && node.versions !== undefined) return undefined
    const id = view.idAt(folder, name)
    node = id === undefined ? undefined : view.get(id)
    if (node === undefined) return undefined
    folder = node.id
  }
  return node
}

/** Finds what is at the target of a move: an item, or a free name in a folder. */
export function findTarget(view: View, path: string): { existing: Node | undefined; folder: string; name: string } {
  const names = splitPath(path)
  const name = names.at(-1)
  if (name === undefined) {
    return { existing: rootNode(), folder: rootId, name: '' }
  }
  const existing = findNode(view, path)
  if (existing !== undefined) return { existing, folder: existing.id, name }
  const parentPath = names.slice(0, -1).join('/')
  const parent = names.length === 1 ? rootNode() : findNode(view, parentPath)
  if (parent === undefined) throw notFound(`/${parentPath}`, 'Create the folder first.')
  if (parent.versions !== undefined) {
    throw new CairnError('NOT_A_DIRECTORY', { message: `/${parentPath} is a file, not a folder` })
  }
  if (path.endsWith('/')) throw notFound(path, 'Create the folder first.')
  requireName(name)
  return { existing: undefined, folder: parent.id, name }
}

function rootNode(): Node {
  const common = {
    nameStamp: '',
    isStarred: false,
    tags: [],
    colour: undefined,
    trashedAt: undefined,
    isReceived: false,
    joined: [],
    renewed: [],
  }
  return { id: rootId, rawName: '', parent: rootId, versions: undefined, ...common }
}

/** Returns an item in the trash by its id, or by its path: of several, the one deleted last. */
export function findTrashed(view: View, pathOrId: string): Node | undefined {
  const byId = view.get(pathOrId)
  if (byId !== undefined && view.isInTrash(byId)) return byId
  const path = `/${splitPath(pathOrId).join('/')}`
  const trashed = Array.from(view.trashed(), (id) => view.get(id)).filter((node) => node !== undefined)
  const found = trashed.filter((node) => view.pathOf(node) === path)
  return found.sort((a, b) => (b.trashedAt ?? 0) - (a.trashedAt ?? 0))[0]
}

/** @throws CairnError INVALID_PATH if a folder would be moved into itself */
export function requireOutside(view: View, node: Node, parent: string, from: string): void {
  for (let id = parent; id !== rootId; id = view.get(id)?.parent ?? rootId) {
    if (id === node.id) {
      throw new CairnError('INVALID_PATH', {
        message: `${from} cannot be moved into itself`,
        hint: 'Choose a folder outside it.',
      })
    }
  }
}

/** @throws CairnError INVALID_PATH */
export function requireName(name: string): void {
  const isValid = name !== '..' && !unnameable.test(name) && utf8.encode(name).length <= maxNameBytes
  if (!isValid) {
    throw new CairnError('INVALID_PATH', {
      message: `${JSON.stringify(name)} is not a valid name`,
      hint: 'Use at most 1,024 bytes, without line breaks and control characters.',
    })
  }
}

/** @throws CairnError INVALID_PATH for a new name of spaces only */
export function requireVisible(name: string): void {
  if (name.trim() === '')
    throw new CairnError('INVALID_PATH', { message: 'A name must not be blank', hint: 'Choose another name.' })
}

export function checkLabel(text: string, what: string): string {
  const label = text.normalize('NFC').trim()
  const isUnshowable = unnameable.test(label) || bidirectional.test(label)
  if (label !== '' && label.length <= maxLabelCharacters && !isUnshowable) return label
  throw new CairnError('INVALID_LABEL', {
    message: `${JSON.stringify(text)} is not a valid ${what}`,
    hint: `Use 1 to ${maxLabelCharacters} characters, without line breaks and control characters.`,
  })
}

export function notFound(path: string, hint = 'Run `cairn drive ls` to list a folder.'): CairnError {
  return new CairnError('PATH_NOT_FOUND', { message: `${path} does not exist in the drive`, hint })
}
