import { join } from 'node:path'
import { binaryPath, isInstalled, kubo } from './binaries.ts'
import { clonesSetting, findClone } from './clones.ts'
import { isNodeInstalled, requireNode } from './nodes.ts'
import { isNpmProgramInstalled, npmProgramFolder, pinningSuite } from './npm-programs.ts'
import { runProgram } from './run-program.ts'

/** Name of the specification's repository, against which the suite validates answers. No registry has it. */
const repository = 'pinning-services-api-spec'

/** The newest Node of the ring with `util.isObject`, which the suite calls. */
const node = '22.12.0'

const packages = join(npmProgramFolder(pinningSuite), 'node_modules')

export const pinningSuiteVersion = `${pinningSuite.version}, Node ${node}`

/** Returns why the suite cannot run, with what to do; undefined if it can. */
export function whyNoPinningSuite(): string | undefined {
  if (findClone(repository) === undefined) {
    return `Clone ipfs/${repository} from GitHub, and name the folder above it in ${clonesSetting}.`
  }
  if (isNpmProgramInstalled(pinningSuite) && isNodeInstalled(node) && isInstalled(kubo)) return undefined
  return `${pinningSuite.name}, Node ${node} or Kubo is not installed. Run: npm run interop:install`
}

/** The suite's report about one check. */
export type PinningCheck = { title: string; isPassed: boolean }

/** Checks of one run, and the complete output of the suite. */
export type PinningRun = { checks: PinningCheck[]; output: string }

/** Runs the suite against an endpoint. */
export async function runPinningSuite(endpoint: string, apiKey: string): Promise<PinningRun> {
  const args = [
    ...['--require', join(import.meta.dirname, 'pinning-suite-specification.cjs')],
    join(packages, pinningSuite.name, 'dist/src/index.js'),
    ...['-s', endpoint, apiKey],
  ]
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    KUBO_BINARY: binaryPath(kubo),
    CAIRN_TEST_PACKAGES: packages,
    CAIRN_TEST_SPECIFICATION: join(findClone(repository) ?? '', 'ipfs-pinning-service.yaml'),
  }
  const output = (await runProgram(join(requireNode(node), 'node'), args, { env })).toString()
  const checks = [...output.matchAll(/^ *(🟢|❌) (.+)$/gmu)].map(([, icon, title = '']) => ({
    title: title.trim(),
    isPassed: icon === '🟢',
  }))
  return { checks, output }
}
