/**
 * `npm run interop:install`: builds the reference programs of `npm run interop` from their published sources, and installs
 * the older versions of Node that the packages support, and programs of the npm registry and the Python package index, into
 * `.interop/`. Skips everything that is already there.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import {
  binaryPath,
  dataSegment,
  type GoProgram,
  gatewayConformance,
  helm,
  interopFolder,
  ipfsCluster,
  isInstalled,
  kubernetesTypes,
  kubo,
  oapiCodegen,
  rclone,
  restic,
  seaweedfs,
  sourceNotePath,
  storetheindex,
  versitygw,
} from './binaries.ts'
import { clonesSetting, findClone } from './clones.ts'
import { isNodeInstalled, nodeFolder, nodePackage, olderNodes } from './nodes.ts'
import { isNpmProgramInstalled, npmProgramFolder, npmPrograms } from './npm-programs.ts'
import {
  isPythonProgramInstalled,
  type PythonProgram,
  pythonBinary,
  pythonProgramFolder,
  pythonPrograms,
} from './python-programs.ts'
import { installSuite } from './s3-suite.ts'

type Source = { folder: string } | { problem: string }

/** Requests only this version, without the list of versions that `go install` wants and not every proxy has. */
function downloadSource({ module, version }: GoProgram): Source {
  const done = spawnSync('go', ['mod', 'download', '-json', `${module}@${version}`], { encoding: 'utf8' })
  let answer: unknown
  try {
    answer = JSON.parse(done.stdout)
  } catch {
    return { problem: done.stderr.trim() || 'go mod download gave no answer' }
  }
  if (typeof answer === 'object' && answer !== null) {
    if ('Error' in answer) return { problem: String(answer.Error) }
    if ('Dir' in answer && typeof answer.Dir === 'string') return { folder: answer.Dir }
  }
  return { problem: 'go mod download named no folder' }
}

/** Sources of the suite that are already on the machine, for a module proxy without them. */
const suiteSource = process.env['CAIRN_TEST_CONFORMANCE_SOURCE']

function findSource(program: GoProgram): Source {
  if (program.folder !== undefined) return { folder: program.folder }
  if (program === gatewayConformance && suiteSource !== undefined) return { folder: resolve(suiteSource) }
  const downloaded = downloadSource(program)
  if ('folder' in downloaded) return downloaded
  const clone = findClone(basename(program.module))
  if (clone !== undefined) return { folder: clone }
  const others = (program.clonedModules ?? []).map(({ repository }) => repository)
  const names = [program.module, ...others].join(', ')
  return { problem: `${downloaded.problem}\nClone ${names}, and name the folder above them in ${clonesSetting}.` }
}

/** Options that take required modules from their clones, if there are any. The sources stay unchanged. */
function modfileOptions({ name, clonedModules = [] }: GoProgram, source: string): string[] {
  const replacements = clonedModules.flatMap(({ module, repository, folder }) => {
    const clone = findClone(repository)
    return clone === undefined ? [] : [`-replace=${module}=${join(clone, folder)}`]
  })
  if (replacements.length === 0) return []
  const modfile = join(interopFolder, `${name}.mod`)
  // Without the modes of the module cache, which is read-only.
  writeFileSync(modfile, readFileSync(join(source, 'go.mod')))
  writeFileSync(join(interopFolder, `${name}.sum`), readFileSync(join(source, 'go.sum')))
  spawnSync('go', ['mod', 'edit', ...replacements, modfile], { stdio: ['ignore', 2, 2] })
  // The clones may require other versions than the modules that they replace.
  return ['-mod=mod', `-modfile=${modfile}`]
}

/** Builds in the module's own folder, so that its go.sum decides about all dependencies. */
function build(program: GoProgram): string | undefined {
  const source = findSource(program)
  if ('problem' in source) return source.problem
  if (program.dependenciesOf !== undefined) {
    const done = spawnSync('go', ['mod', 'download'], { cwd: program.dependenciesOf, stdio: ['ignore', 2, 2] })
    if (done.status !== 0) return 'go mod download failed; see above'
  }
  const target = binaryPath(program)
  const partial = `${target}.partial`
  const command = [
    'go',
    'build',
    ...modfileOptions(program, source.folder),
    '-trimpath',
    '-o',
    partial,
    program.package,
  ]
  const [file = 'go', ...args] = process.platform === 'win32' ? command : ['nice', '-n', '10', ...command]
  const done = spawnSync(file, args, { cwd: source.folder, stdio: ['ignore', 2, 2] })
  if (done.status === 0) {
    writeFileSync(sourceNotePath(program), source.folder)
    renameSync(partial, target)
    return undefined
  }
  rmSync(partial, { force: true })
  return 'go build failed; see above'
}

/** Installs a package into a separate folder. */
function installPackage(spec: string, folder: string, needsPeers: boolean): boolean {
  mkdirSync(folder, { recursive: true })
  const args = [
    'install',
    '--prefix',
    folder,
    '--no-save',
    '--ignore-scripts',
    ...(needsPeers ? [] : ['--legacy-peer-deps']),
    '--no-audit',
    spec,
  ]
  const done = spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2] })
  if (done.status === 0) console.log(`Installed ${spec}`)
  return done.status === 0
}

function installPackages(): number {
  const packages = [
    ...olderNodes.map((version) => ({
      spec: `${nodePackage}@${version}`,
      folder: nodeFolder(version),
      isThere: isNodeInstalled(version),
      needsPeers: false,
    })),
    ...npmPrograms.map((program) => ({
      spec: `${program.name}@${program.version}`,
      folder: npmProgramFolder(program),
      isThere: isNpmProgramInstalled(program),
      needsPeers: program.needsPeers ?? false,
    })),
  ]
  let failed = 0
  for (const { spec, folder, isThere, needsPeers } of packages) {
    if (isThere) console.log(`${spec} is there: ${folder}`)
    else if (!installPackage(spec, folder, needsPeers)) failed++
  }
  return failed === 0 ? 0 : 1
}

/** Whether its program starts: scripts of an environment contain its path, and fail after a move. */
function startsPythonProgram(program: PythonProgram): boolean {
  if (!isPythonProgramInstalled(program)) return false
  return spawnSync(pythonBinary(program, program.binary ?? program.name), ['--version']).error === undefined
}

/** Installs a program into a separate virtual environment. */
function installPythonProgram(program: PythonProgram): number {
  // The real path stays valid when a link to the folder is removed.
  mkdirSync(interopFolder, { recursive: true })
  const folder = join(realpathSync(interopFolder), basename(pythonProgramFolder(program)))
  const spec = `${program.name}==${program.version}`
  if (startsPythonProgram(program)) {
    console.log(`${spec} is there: ${folder}`)
    return 0
  }
  rmSync(folder, { recursive: true, force: true })
  const run = (file: string, args: string[]) => spawnSync(file, args, { stdio: ['ignore', 2, 2] }).status === 0
  const installed =
    run('python3', ['-m', 'venv', folder]) && run(join(folder, 'bin', 'pip'), ['install', '--quiet', spec])
  if (installed) console.log(`Installed ${spec}`)
  else console.error(`${spec} could not be installed. It needs Python 3.11 or newer with venv.`)
  return installed ? 0 : 1
}

const programs = [
  kubo,
  gatewayConformance,
  versitygw,
  seaweedfs,
  dataSegment,
  restic,
  oapiCodegen,
  ipfsCluster,
  storetheindex,
  kubernetesTypes,
  helm,
  // The largest is last.
  rclone,
]

function installPrograms(): number {
  const missing = programs.filter((program) => !isInstalled(program))
  for (const program of programs) {
    if (!missing.includes(program)) console.log(`${program.name} ${program.version} is there: ${binaryPath(program)}`)
  }
  if (missing.length === 0) return 0
  const go = spawnSync('go', ['version'], { encoding: 'utf8' })
  if (go.status !== 0) {
    console.error(
      'There is no Go toolchain on this machine. Install Go 1.26 or newer (https://go.dev/dl) and try again.',
    )
    return 1
  }
  mkdirSync(join(interopFolder, 'bin'), { recursive: true })
  let failed = 0
  for (const program of missing) {
    console.log(`Building ${program.name} ${program.version} with ${go.stdout.trim()} (some minutes, once)…`)
    const problem = build(program)
    if (problem === undefined) console.log(`Built ${binaryPath(program)}`)
    else {
      failed++
      console.error(`${program.name} ${program.version} could not be built: ${problem}`)
    }
  }
  if (failed > 0) console.error('The tests that need what is missing are skipped by name; the others run.')
  return isInstalled(kubo) ? 0 : 1
}

process.exitCode = Math.max(
  installPackages(),
  ...pythonPrograms.map(installPythonProgram),
  installSuite(),
  installPrograms(),
)
