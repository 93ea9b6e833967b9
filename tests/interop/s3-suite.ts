import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { interopFolder } from './binaries.ts'
import { clonesSetting, findClone } from './clones.ts'
import { knownFailures } from './s3-suite-failures.ts'

/** Name of the repository of the public suite of S3 tests. No registry has it. */
const repository = 's3-tests'
const environment = join(interopFolder, 's3-tests')

/** Python of the environment that `npm run interop:install` creates for the suite. */
export const suitePython = join(environment, 'bin', 'python')

export const findSuite = (): string | undefined => findClone(repository)

/** Returns why the suite cannot run, with what to do; undefined if it can. */
export function whyNoSuite(): string | undefined {
  if (findSuite() === undefined) {
    return `Clone ceph/s3-tests from GitHub, and name the folder above it in ${clonesSetting}.`
  }
  return existsSync(suitePython) ? undefined : 'Its requirements are not installed. Run: npm run interop:install'
}

/** Commit of the clone. */
export function suiteVersion(): string {
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%h'], { cwd: findSuite(), encoding: 'utf8' })
  return stdout.trim() || 'unknown'
}

/** Installs what the suite requires. Does nothing without a clone. */
export function installSuite(): number {
  const suite = findSuite()
  if (suite === undefined || existsSync(suitePython)) return 0
  const run = (file: string, args: string[]) => spawnSync(file, args, { stdio: ['ignore', 2, 2] }).status === 0
  const packages = ['-r', join(suite, 'requirements.txt'), 'pytest-timeout']
  const installed =
    run('python3', ['-m', 'venv', environment]) && run(suitePython, ['-m', 'pip', 'install', '--quiet', ...packages])
  console.log(installed ? 'Installed what s3-tests requires' : 'What s3-tests requires could not be installed')
  return installed ? 0 : 1
}

/** Groups of the suite for features that the S3 API does not have, by the names of their marks. */
export const excludedGroups = [
  ...['bucket_policy', 'user_policy', 'role_policy', 'lifecycle_expiration', 'lifecycle_transition'],
  ...['encryption', 'sse_s3', 'bucket_encryption', 'bucket_logging', 'bucket_logging_cleanup'],
  ...['s3website', 's3website_routing_rules', 's3website_redirect_location', 'storage_class'],
  ...['cloud_transition', 'cloud_restore', 'iam_account', 'iam_user', 'iam_role', 'iam_tenant', 'iam_cross_account'],
  ...['sns', 'auth_aws2', 's3select', 'object_lock', 'webidentity_test', 'test_of_sts', 'appendobject'],
]

const reasons = new Map(
  Object.entries(knownFailures).flatMap(([reason, names]) =>
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name, reason] as const),
  ),
)

/** Why a test is known to fail; undefined if it should pass. */
export const reasonOf = (name: string): string | undefined => reasons.get(name)
