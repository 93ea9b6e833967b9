import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

// The rooms of a workspace are the folders of its `src`. Files beside the folders (context.ts, start.ts) combine them
// and are not rooms. Tests may import from any room.

/** One import between two rooms, types included. Paths are relative to `src`, with `/`. */
export type RoomImport = { from: string; to: string; file: string; target: string }

const importPattern = /(?:\bfrom|\bimport\(|\bimport)\s*'(\.{1,2}\/[^']+)'/g
const testPattern = /\.(?:test|suite|fixture|bench)\.tsx?$/

/** Reads the imports between the rooms of one `src` folder. */
export function readRoomImports(src: string): RoomImport[] {
  return readFileImports(src).flatMap(({ from: file, to: target }) => {
    const [from, to] = [roomOf(file), roomOf(target)]
    return from === undefined || to === undefined || from === to ? [] : [{ from, to, file, target }]
  })
}

/** One import of a file by another, types included. */
type FileImport = { from: string; to: string }

/** Reads the imports between the files of one `src` folder. */
export function readFileImports(src: string): FileImport[] {
  const imports: FileImport[] = []
  for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name) || testPattern.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const from = relative(src, path).split(sep).join('/')
    for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(importPattern)) {
      const to = relative(src, join(dirname(path), specifier))
        .split(sep)
        .join('/')
      imports.push({ from, to })
    }
  }
  return imports
}

function roomOf(file: string): string | undefined {
  const [room, ...rest] = file.split('/')
  return rest.length === 0 || room === '..' ? undefined : room
}

/**
 * Returns a shortest circle of rooms, or of files, through each one that is in a circle, as `a -> b -> a`, each circle once.
 */
export function findCircles(imports: readonly { from: string; to: string }[]): string[] {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of imports) next.set(from, (next.get(from) ?? new Set()).add(to))
  const circles = new Map<string, string>()
  for (const start of [...next.keys()].sort()) {
    const path = shortestWayBack(start, next)
    const id = path?.toSorted().join()
    if (path !== undefined && id !== undefined && !circles.has(id)) circles.set(id, [...path, start].join(' -> '))
  }
  return [...circles.values()]
}

function shortestWayBack(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const queue = [[start]]
  const seen = new Set<string>()
  for (const path of queue) {
    for (const room of next.get(path.at(-1) ?? '') ?? []) {
      if (room === start) return path
      if (seen.has(room)) continue
      seen.add(room)
      queue.push([...path, room])
    }
  }
  return undefined
}

/**
 * Returns the imports past the face of a room: `uploads/uploads.ts` is the face of `uploads`. A room without a
 * file of its name is a shelf (`db`, `http`), whose files may all be imported.
 */
export function findPastFaces(imports: readonly RoomImport[], hasFace: (room: string) => boolean): RoomImport[] {
  return imports.filter(({ to, target }) => hasFace(to) && target !== `${to}/${to}.ts`)
}

const queryPattern = /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(/

/** Returns the service files that contain queries but must not: those that bind calls, and those beside the rooms. */
export function findMisplacedQueries(src: string): string[] {
  const found: string[] = []
  for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts') || testPattern.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const file = relative(src, path).split(sep).join('/')
    const bindsCalls = entry.name === 'routes.ts' || entry.name.endsWith('-routes.ts')
    if (!bindsCalls && roomOf(file) !== undefined) continue
    if (queryPattern.test(readFileSync(path, 'utf8'))) found.push(file)
  }
  return found.sort()
}
