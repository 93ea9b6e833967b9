import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as v from 'valibot'
import { runProgram } from './run-program.ts'

/** The setting with the folder of both repositories. */
const peerSuitesSetting = 'CAIRN_TEST_PEER_SUITES'

/** A suite of the peer: its npm packages do not contain it. */
export type PeerSuite = { repository: string; packageName: string }

export const peerSdk: PeerSuite = { repository: 'lighthouse-package', packageName: '@lighthouse-web3/sdk' }
export const peerKavach: PeerSuite = { repository: 'encryption-sdk', packageName: '@lighthouse-web3/kavach' }

/** Hosts of a network, in the form of the peer's configuration. */
export type PeerHosts = { api: string; upload: string; gateway: string; keyRouter: string }

export type PeerResult = { total: number; passed: number; failed: string[] }

function folderOf({ repository }: PeerSuite): string {
  return resolve(process.env[peerSuitesSetting] ?? '', repository)
}

/** Returns why the suite cannot run, with what to do; undefined if it can. */
export function whyNoPeerSuite(suite: PeerSuite): string | undefined {
  const advice = `Clone lighthouse-web3/lighthouse-package and lighthouse-web3/encryption-sdk from GitHub into one folder, run npm install --ignore-scripts in each, and name the folder in ${peerSuitesSetting}.`
  if (process.env[peerSuitesSetting] === undefined) return `${peerSuitesSetting} is not set. ${advice}`
  const isThere = existsSync(jestOf(suite)) && existsSync(join(folderOf(suite), 'package.json'))
  return isThere ? undefined : `${folderOf(suite)} has no installed suite. ${advice}`
}

/** The version in the repository. */
export function peerVersion(suite: PeerSuite): string {
  return v.parse(manifest, JSON.parse(readFileSync(join(folderOf(suite), 'package.json'), 'utf8'))).version
}

const manifest = v.object({ version: v.string() })
const jestOf = (suite: PeerSuite) => join(folderOf(suite), 'node_modules/jest/bin/jest.js')

/** A file of the repository. */
export function peerFile(suite: PeerSuite, path: string): string {
  return join(folderOf(suite), path)
}

/**
 * Runs the suite with its own test runner and configuration; only the hosts differ.
 * @throws Error when it ends without a report
 */
export async function runPeerSuite(
  suite: PeerSuite,
  hosts: PeerHosts,
  env: Record<string, string> = {},
): Promise<PeerResult> {
  const scratch = await mkdtemp(join(tmpdir(), 'cairn-peer-'))
  try {
    const report = join(scratch, 'report.json')
    const setup = join(import.meta.dirname, 'peer-hosts.cjs')
    const args = ['--runInBand', '--coverage=false', '--forceExit', '--json', `--outputFile=${report}`]
    // It exits with 1 when a test fails; the report names the test.
    await runProgram(process.execPath, [jestOf(suite), ...args, `--setupFiles=${setup}`], {
      cwd: folderOf(suite),
      env: { PATH: process.env['PATH'], HOME: scratch, ...env, CAIRN_TEST_HOSTS: JSON.stringify(hosts) },
      allowedExitCodes: [0, 1],
    })
    const {
      numTotalTests: total,
      numPassedTests: passed,
      testResults,
    } = v.parse(jestReport, JSON.parse(await readFile(report, 'utf8')))
    const failed = testResults.flatMap(({ message, assertionResults }) => {
      const names = assertionResults.filter(({ status }) => status !== 'passed')
      // A file that does not load has a message and no tests.
      if (assertionResults.length === 0) return [message]
      return names.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages.join('\n').slice(0, 500)}`)
    })
    return { total, passed, failed }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const jestReport = v.object({
  numTotalTests: v.number(),
  numPassedTests: v.number(),
  testResults: v.array(
    v.object({
      message: v.string(),
      assertionResults: v.array(
        v.object({ fullName: v.string(), status: v.string(), failureMessages: v.array(v.string()) }),
      ),
    }),
  ),
})
