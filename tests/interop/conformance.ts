import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { gatewayConformance, requireBinary, sourceNotePath } from './binaries.ts'
import { type RunOptions, runProgram } from './run-program.ts'

/**
 * A part of the gateway specifications that the suite can test separately, or a group: it contains the parts with the same
 * prefix.
 */
export type ConformanceSpec =
  | 'trustless-block-gateway'
  | 'trustless-car-gateway'
  | 'trustless-car-gateway-optional'
  | 'trustless-ipns-gateway'
  | 'trustless-gateway'
  | 'path-unixfs-gateway'
  | 'path-ipns-gateway'
  | 'path-tar-gateway'
  | 'path-dag-gateway'
  | 'path-raw-gateway'
  | 'path-gateway'
  | 'subdomain-ipfs-gateway'
  | 'subdomain-ipns-gateway'
  | 'subdomain-gateway'
  | 'dnslink-gateway'
  | 'redirects-file'

/** What to test, and where. */
export type ConformanceOptions = {
  gatewayUrl: string
  /** The name with subdomains, such as `http://localhost:8080`: it goes into the Host header, nothing is resolved. */
  subdomainUrl: string
  /** Only these. Defaults to all mature parts. */
  specs?: readonly ConformanceSpec[]
  /** Tests to skip, as a pattern of Go's `-skip`. */
  skip?: string
}

/** One test of the suite, by its path of names. */
export type ConformanceResult = { name: string; outcome: 'pass' | 'fail' | 'skip' }

/**
 * Runs the suite against a gateway that already has its fixtures. Also needs Go, because the suite is a Go test.
 * @throws Error when the suite is not built, or ends without a report.
 * @see https://github.com/ipfs/gateway-conformance
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-conformance-'))
  try {
    const report = join(folder, 'report.json')
    const args = [
      'test',
      '--gateway-url',
      options.gatewayUrl,
      '--subdomain-url',
      options.subdomainUrl,
      '--json',
      report,
    ]
    if (options.specs !== undefined) args.push('--specs', options.specs.join(','))
    if (options.skip !== undefined) args.push('--', '-skip', options.skip)
    // It exits with 1 when a test fails; the report names the test.
    await runSuite(args, { cwd: folder, allowedExitCodes: [0, 1] })
    return readConformanceReport(await readFile(report, 'utf8'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The suite reads its tests and fixtures from the sources that it was built from. */
async function runSuite(args: readonly string[], options: RunOptions = {}): Promise<void> {
  const suite = requireBinary(gatewayConformance)
  const home = await readFile(sourceNotePath(gatewayConformance), 'utf8')
  await runProgram(suite, args, { ...options, env: { ...process.env, GATEWAY_CONFORMANCE_HOME: home } })
}

/** Reads the events of a Go test, one JSON object per line; the last event of a test counts. */
export function readConformanceReport(lines: string): ConformanceResult[] {
  const outcomes = new Map<string, ConformanceResult['outcome']>()
  for (const line of lines.split('\n')) {
    if (line.trim() === '') continue
    const event: unknown = JSON.parse(line)
    if (typeof event !== 'object' || event === null || !('Test' in event) || !('Action' in event)) continue
    const { Test: name, Action: action } = event
    if (typeof name === 'string' && (action === 'pass' || action === 'fail' || action === 'skip')) {
      outcomes.set(name, action)
    }
  }
  return [...outcomes].map(([name, outcome]) => ({ name, outcome }))
}

/** The DNSLinks that the suite expects, from fixtures written with `extractConformanceFixtures`. */
export async function readDnslinks(folder: string): Promise<{ domain: string; path: string }[]> {
  const { domains } = dnslinksFile(JSON.parse(await readFile(join(folder, 'dnslinks.json'), 'utf8')))
  return Object.entries(domains).map(([domain, path]) => ({ domain, path }))
}

const dnslinksFile = v.parser(v.object({ domains: v.record(v.string(), v.string()) }))

/**
 * Writes the suite's fixtures into `folder`, each CAR separately, and returns those that a gateway must have.
 * @throws Error when it is not built
 */
export async function extractConformanceFixtures(folder: string): Promise<{ cars: string[]; ipnsRecords: string[] }> {
  await mkdir(folder, { recursive: true })
  await runSuite(['extract-fixtures', '--directory', folder, '--merged=false'])
  const files = (await readdir(folder, { recursive: true })).map((name) => join(folder, name))
  return {
    cars: files.filter((name) => name.endsWith('.car')),
    ipnsRecords: files.filter((name) => name.endsWith('.ipns-record')),
  }
}
