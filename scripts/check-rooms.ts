// Fails on folders and files of a workspace that import one another in a circle, on imports past the face of a room, and on
// queries in routes. Takes the root of another checkout as its argument.
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findCircles, findMisplacedQueries, findPastFaces, readFileImports, readRoomImports } from './rooms.ts'

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '..'))

/** Intended imports past a face, with the reason. */
const allowed: Readonly<Record<string, string>> = {
  'services/storage: maintenance -> packs':
    'checks and repairs the packs offline, with the parts that the service runs on',
  'services/storage: maintenance -> objects': 'opens the store without a service',
  'services/storage: admin -> objects': 'opens the store without a service',
  'services/storage: backup -> objects': 'opens the store and destinations without a service',
  'services/storage: backup -> packs': 'assigns a restored store and a destination to a database, as a start does',
  'services/storage: pieces -> objects': 'keeps trees of pieces beside the packs and removes them the same way',
  'services/storage: s3 -> objects': 'keeps parts of multipart uploads beside the packs and removes them the same way',
  'services/storage: resumable -> objects': 'keeps parts of uploads beside the packs and removes them the same way',
}

const failures: string[] = []
for (const group of ['apps', 'packages', 'services']) {
  if (!existsSync(join(root, group))) continue
  for (const name of readdirSync(join(root, group))) {
    const src = join(root, group, name, 'src')
    if (!existsSync(src)) continue
    const imports = readRoomImports(src)
    for (const circle of findCircles(imports)) failures.push(`${group}/${name}: circle ${circle}`)
    for (const circle of findCircles(readFileImports(src))) failures.push(`${group}/${name}: circle of files ${circle}`)
    if (group !== 'services') continue
    for (const file of findMisplacedQueries(src)) failures.push(`${group}/${name}: ${file} holds a query`)
    const past = findPastFaces(imports, (room) => existsSync(join(src, room, `${room}.ts`)))
    for (const { from, to, file, target } of past) {
      if (allowed[`${group}/${name}: ${from} -> ${to}`] === undefined)
        failures.push(`${group}/${name}: ${file} imports ${target} past the face ${to}/${to}.ts`)
    }
  }
}
if (failures.length > 0) {
  console.error(
    `Rooms and files of a workspace form no circle. Rooms are entered by their face. Routes hold no queries:\n${failures.join('\n')}`,
  )
  process.exitCode = 1
}
