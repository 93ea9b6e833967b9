import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  dataSegment,
  type GoProgram,
  gatewayConformance,
  helm,
  ipfsCluster,
  isInstalled,
  kubernetesTypes,
  kubo,
  oapiCodegen,
  rclone,
  restic,
  seaweedfs,
  seaweedfsRelease,
  storetheindex,
  versitygw,
} from './binaries.ts'
import { isNodeInstalled, olderNodes } from './nodes.ts'
import { bun, deno, findRuntime, isNpmProgramInstalled, type Runtime, verifiedFetch } from './npm-programs.ts'
import { type PeerSuite, peerKavach, peerSdk, peerVersion, whyNoPeerSuite } from './peer-suites.ts'
import { pinningSuiteVersion, whyNoPinningSuite } from './pinning-suite.ts'
import {
  awsCli,
  boto3,
  isPythonProgramInstalled,
  lighthousePython,
  openapiPythonClient,
  type PythonProgram,
  s3cmd,
  schemathesis,
} from './python-programs.ts'
import { suiteVersion, whyNoSuite } from './s3-suite.ts'

/** A row of the table in docs/compatibility.md. */
export type RingRow = {
  program: string
  /** Read when the program is installed. */
  version: () => string
  scope: string
  /** Files of this folder. */
  files: readonly string[]
  /** Only tests whose titles contain this. Defaults to all. */
  only?: string
  /** Why it cannot run here, with what to do. */
  whyNot: () => string | undefined
  /** What the result leaves open. */
  note?: string
}

/** Version of a development dependency, which is pinned. */
function installedVersion(name: string): string {
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  return String(manifest.devDependencies[name])
}

const install = 'Run: npm run interop:install'
const needsGo = (...programs: GoProgram[]) => ({
  version: () => programs.map(({ version }) => version.replace(/^v/, '')).join(', '),
  whyNot: () => {
    const missing = programs.find((program) => !isInstalled(program))
    return missing === undefined ? undefined : `${missing.name} ${missing.version} is not built. ${install}`
  },
})
const needsPython = (program: PythonProgram) => ({
  version: () => program.version,
  whyNot: () =>
    isPythonProgramInstalled(program) ? undefined : `${program.name} ${program.version} is not installed. ${install}`,
})
const needsRuntime = (runtime: Runtime) => ({
  version: () => runtime.version,
  whyNot: () =>
    findRuntime(runtime) === undefined ? `${runtime.name} ${runtime.version} is not installed. ${install}` : undefined,
})
const needsPeer = (suite: PeerSuite) => ({
  version: () => peerVersion(suite),
  whyNot: () => whyNoPeerSuite(suite),
})

export const ringRows: readonly RingRow[] = [
  {
    program: "The peer's suite of its SDK",
    scope: 'its own tests from its repository, unchanged, on `npm start`',
    files: ['peer-suites.test.ts'],
    only: 'SDK',
    ...needsPeer(peerSdk),
  },
  {
    program: "The peer's suite of kavach",
    scope: 'its own tests from its repository, unchanged, on `npm start`',
    files: ['peer-suites.test.ts'],
    only: 'kavach',
    ...needsPeer(peerKavach),
  },
  {
    program: '`ipfs` program of Kubo',
    scope:
      '`add`, `cat`, `ls`, `get`, `block`, `dag`, `files stat`, `pin`, `key`, `name`, `version`, `id` against our API and against Kubo, outputs compared',
    files: ['kubo-program.test.ts'],
    ...needsGo(kubo),
  },
  {
    program: '`ipfs pin remote` of Kubo',
    scope: 'service, `add`, `ls`, `rm`, `--stat`, a pin fetched from Kubo’s gateway, a wrong key',
    files: ['kubo-remote-pins.test.ts'],
    ...needsGo(kubo),
  },
  {
    program: 'pinning-service-compliance',
    version: () => pinningSuiteVersion,
    scope: 'the whole public suite, unchanged, with Kubo and the specification v1.0.0 from a clone',
    files: ['pinning-suite.test.ts'],
    whyNot: whyNoPinningSuite,
  },
  {
    program: 'Kubo',
    scope:
      'CIDs of imports, CARs both ways, gateway answers, IPNS records, each compared; the lines of the how-to page',
    files: [
      'kubo-import.test.ts',
      'kubo-car.test.ts',
      'kubo-gateway.test.ts',
      'kubo-names.test.ts',
      'kubo-recipe.test.ts',
    ],
    ...needsGo(kubo),
  },
  {
    program: 'kubo-rpc-client',
    scope: 'add, import, cat, errors, against Kubo and against our API',
    files: ['kubo-rpc.test.ts'],
    ...needsGo(kubo),
    version: () => installedVersion('kubo-rpc-client'),
  },
  {
    program: 'gateway-conformance',
    scope: 'the gateway with subdomains, DNSLink, trustless answers and `_redirects`',
    files: ['conformance-cairn.test.ts'],
    note: '`CONNECT` is refused ([0191](decisions/0191-own-domains-at-the-gateway.md))',
    ...needsGo(gatewayConformance),
  },
  {
    program: 'gateway-conformance on Kubo',
    scope: 'three parts of the suite, which shows that it is run as it should be',
    files: ['conformance.test.ts'],
    ...needsGo(gatewayConformance, kubo),
  },
  {
    program: '@helia/verified-fetch',
    scope: 'files of one and many blocks, folders, ranges, dag-cbor and an IPNS name, verified by the client',
    files: ['verified-fetch.test.ts'],
    version: () => verifiedFetch.version,
    whyNot: () =>
      isNpmProgramInstalled(verifiedFetch)
        ? undefined
        : `@helia/verified-fetch ${verifiedFetch.version} is not installed. ${install}`,
  },
  {
    program: 'storetheindex (IPNI), with Kubo',
    scope:
      'advertisements read by the indexer, a file that Kubo fetches with the indexer as its only router, its removal',
    files: ['ipni.test.ts'],
    ...needsGo(storetheindex, kubo),
  },
  {
    program: 'Kubo, as the operator’s',
    scope: 'announced content imported as a CAR, pinned, read offline, and unpinned after its deletion',
    files: ['handover.test.ts'],
    only: 'Kubo pins',
    ...needsGo(kubo),
  },
  {
    program: 'IPFS Cluster, with Kubo',
    scope: 'the same through the proxy of a cluster of one peer',
    files: ['handover.test.ts'],
    only: 'IPFS Cluster',
    ...needsGo(ipfsCluster, kubo),
  },
  {
    program: 'go-data-segment',
    scope: 'commitments, aggregates, inclusion proofs and indexes of FRC-0058, computed and verified by the reference',
    files: ['go-data-segment.test.ts'],
    ...needsGo(dataSegment),
  },
  {
    program: 'Packed packages',
    version: () => `Node ${[...olderNodes, process.versions.node].join(', ')}`,
    scope:
      'import, `require`, esbuild for Node and browsers, Vite, Chromium, `npx cairn`, the React example on React 18 and 19',
    files: ['packed-packages.test.ts', 'packed-react.test.ts'],
    whyNot: () => {
      const missing = olderNodes.find((version) => !isNodeInstalled(version))
      return missing === undefined ? undefined : `Node ${missing} is not installed. ${install}`
    },
  },
  ...[deno, bun].map((runtime) => ({
    program: `Packed packages on ${runtime.name === 'deno' ? 'Deno' : 'Bun'}`,
    scope: 'every entry of every package, the example of ten lines, keys that are saved, read, refused and listed',
    files: ['packed-runtimes.test.ts'],
    only: `on ${runtime.name}`,
    ...needsRuntime(runtime),
  })),
  {
    program: 'versitygw (S3)',
    scope: 'the suite of the object store, also with faults between',
    files: ['s3-versitygw.test.ts'],
    ...needsGo(versitygw),
  },
  {
    program: 'SeaweedFS (S3)',
    scope: 'the suite of the object store, also with faults between',
    files: ['s3-seaweedfs.test.ts'],
    ...needsGo(seaweedfs),
    version: () => `${seaweedfsRelease} (${seaweedfs.version.slice(-12, -5)})`,
  },
  {
    program: 'restic',
    scope:
      'our S3 API: `init`, `backup` twice, `check --read-data`, `restore`, a snapshot removed with `--prune`, a wrong secret',
    files: ['restic.test.ts'],
    ...needsGo(restic),
  },
  {
    program: 'AWS CLI',
    scope:
      'our S3 API: the lines of the how-to page, `mb`, `cp` from a stream, `sync` both ways and in parts, `mv`, `ls`, `presign`, `rb --force`',
    files: ['aws-cli.test.ts'],
    ...needsPython(awsCli),
  },
  {
    program: 'The public s3-tests suite (Ceph)',
    version: suiteVersion,
    scope:
      'our S3 API: `test_s3.py` and `test_headers.py`, without the groups of [s3-suite.ts](../tests/interop/s3-suite.ts)',
    files: ['s3-suite.test.ts'],
    whyNot: whyNoSuite,
  },
  {
    program: 'boto3',
    scope:
      'our S3 API: bucket, upload, download and copy in parts, tags, SHA-256, pages, presigned GET, browser forms by both signature versions, versions, conditional deletions of many',
    files: ['python-s3.test.ts'],
    only: 'boto3',
    ...needsPython(boto3),
  },
  {
    program: "The peer's Python client",
    scope:
      'our API: every function of the client: API key, balance, uploads of files, blobs and folders, downloads, lists, tags, names, deals, wallet',
    files: ['python-lighthouse.test.ts'],
    ...needsPython(lighthousePython),
  },
  {
    program: 's3cmd',
    scope: 'our S3 API: `mb`, `put` in parts, `get`, `sync`, `info`, `cp`, `ls`, `del -r`, `rb`',
    files: ['python-s3.test.ts'],
    only: 's3cmd',
    ...needsPython(s3cmd),
  },
  {
    program: 'rclone',
    scope:
      'our S3 API, with the configuration of the how-to page: `mkdir`, `sync` in parts and of changes, `check --download`, `lsjson`, `copyto`, `moveto`, `cat` of a range, `hashsum`, `rcat`, `touch`, `link`, `cleanup`, `purge`, a wrong secret',
    files: ['rclone.test.ts'],
    ...needsGo(rclone),
  },
  {
    program: 'Helm',
    scope:
      'our chart: `lint --strict`, `template` with the values of the page and others, each object decoded by the types of the Kubernetes API',
    files: ['helm.test.ts'],
    ...needsGo(helm, kubernetesTypes),
  },
  {
    program: 'OpenAPI clients: openapi-python-client',
    scope: 'a Python client of all calls but two, which lists, uploads, reads the usage and deletes; a wrong key',
    files: ['openapi-clients.test.ts'],
    only: 'Python',
    ...needsPython(openapiPythonClient),
  },
  {
    program: 'OpenAPI clients: oapi-codegen',
    scope: 'a Go client of the whole document, which lists, uploads, reads the usage and deletes; a wrong key',
    files: ['openapi-clients.test.ts'],
    only: 'Go',
    ...needsGo(oapiCodegen),
  },
  {
    program: 'schemathesis',
    scope:
      'requests made from the OpenAPI document, right and wrong, with a key and without, to the API, gateway, key router, a key node and a provider: statuses, types, schemas and headers of the answers, authentication, methods',
    files: ['schemathesis.test.ts'],
    ...needsPython(schemathesis),
  },
]

/** Path of a test file of this ring. */
export function ringFile(name: string): string {
  return join(import.meta.dirname, name)
}
