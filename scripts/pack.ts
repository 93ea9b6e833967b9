// `npm run pack -- <folder>`: builds the published packages, packs them into `<folder>/cairn-packages` and installs them
// there. For projects outside this repository, until the packages are in a registry.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { buildPackages, packPackages } from './published-packages.ts'

const root = resolve(import.meta.dirname, '..')
const archives = 'cairn-packages'

function end(message: string): never {
  console.error(message)
  process.exit(2)
}

const [wanted, ...more] = process.argv.slice(2)
if (wanted === undefined || more.length > 0) end('Specify one folder. Example: npm run pack -- ../my-app')
const folder = resolve(wanted)
if (!relative(root, folder).startsWith('..')) end(`${folder} is inside this repository. Use a folder outside of it.`)

if (!buildPackages()) process.exit(1)
mkdirSync(folder, { recursive: true })
// Packed into a temporary folder, then renamed: a failure leaves the existing archives of the project.
const fresh = mkdtempSync(join(folder, `${archives}-`))
const packed = await packPackages(fresh)
const target = join(folder, archives)
rmSync(target, { recursive: true, force: true })
renameSync(fresh, target)
if (!existsSync(join(folder, 'package.json'))) {
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ private: true }, null, 2)}\n`)
}
const specs = packed.map(({ archive }) => `./${archives}/${basename(archive)}`)
const done = spawnSync('npm', ['install', '--no-audit', '--no-fund', ...specs], { cwd: folder, stdio: 'inherit' })
if (done.status !== 0) process.exit(done.status ?? 1)
console.log(`Installed in ${folder}: ${packed.map(({ name }) => name).join(', ')}`)
