import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Where `npm run interop:install` puts what it builds; ignored by git. */
export const interopFolder = join(import.meta.dirname, '..', '..', '.interop')

/** A Go program that the tests run against. */
export type GoProgram = {
  name: string
  module: string
  version: string
  package: string
  /** Folder of our own program that calls the module. Defaults to the module's own program. */
  folder?: string
  /** Folder of a Go module whose dependencies are also downloaded. */
  dependenciesOf?: string
  /** Required modules that not every module proxy has: taken from the clones of their repositories, if there are any. */
  clonedModules?: readonly { module: string; repository: string; folder: string }[]
}

const suffix = process.platform === 'win32' ? '.exe' : ''

/** The reference implementation of IPFS. */
export const kubo: GoProgram = {
  name: 'ipfs',
  module: 'github.com/ipfs/kubo',
  version: 'v0.43.0',
  package: './cmd/ipfs',
}

/** A peer of IPFS Cluster, which spreads pins over several Kubo. */
export const ipfsCluster: GoProgram = {
  name: 'ipfs-cluster-service',
  module: 'github.com/ipfs-cluster/ipfs-cluster',
  version: 'v1.1.0',
  package: './cmd/ipfs-cluster-service',
}

/** The test suite of the gateway specifications. */
export const gatewayConformance: GoProgram = {
  name: 'gateway-conformance',
  module: 'github.com/ipfs/gateway-conformance',
  version: 'v0.13.2',
  package: './cmd/gateway-conformance',
}

/** An S3 server over a folder. */
export const versitygw: GoProgram = {
  name: 'versitygw',
  module: 'github.com/versity/versitygw',
  version: 'v1.8.0',
  package: './cmd/versitygw',
}

/** An S3 server over its own volumes. The proxy has no tagged version of it. */
export const seaweedfs: GoProgram = {
  name: 'weed',
  module: 'github.com/seaweedfs/seaweedfs',
  version: 'v0.0.0-20261109003541-7506e5f91cd6',
  package: './weed',
}
/** The name of its program. */
export const seaweedfsRelease = '4.53'

/** A backup program, as a client of our S3 API. */
export const restic: GoProgram = {
  name: 'restic',
  module: 'github.com/restic/restic',
  version: 'v0.19.1',
  package: './cmd/restic',
}

/** A program that copies and compares folders, as a client of our S3 API. */
export const rclone: GoProgram = {
  name: 'rclone',
  module: 'github.com/rclone/rclone',
  version: 'v1.76.0',
  package: '.',
}

/** The indexer of IPNI. */
export const storetheindex: GoProgram = {
  name: 'storetheindex',
  module: 'github.com/ipni/storetheindex',
  version: 'v0.12.2-0.20260807154807-f66194e72bc0',
  package: '.',
  clonedModules: [
    {
      module: 'github.com/ipld/go-ipld-prime/storage/dsadapter',
      repository: 'go-ipld-prime',
      folder: 'storage/dsadapter',
    },
    { module: 'github.com/ipni/relayx', repository: 'relayx', folder: '.' },
    { module: 'github.com/pion/turn/v5', repository: 'turn', folder: '.' },
  ],
}

/** The reference implementation of FRC-0058, behind a small program of ours. */
export const dataSegment: GoProgram = {
  name: 'data-segment',
  module: 'github.com/filecoin-project/go-data-segment',
  version: 'v0.0.1',
  package: '.',
  folder: join(import.meta.dirname, 'go-data-segment'),
}

/** The package manager of Kubernetes. */
export const helm: GoProgram = {
  name: 'helm',
  module: 'helm.sh/helm/v3',
  version: 'v3.22.0',
  package: './cmd/helm',
}

/** The types of the Kubernetes API, behind a small program of ours. */
export const kubernetesTypes: GoProgram = {
  name: 'kubernetes-types',
  module: 'k8s.io/api',
  version: 'v0.37.0',
  package: '.',
  folder: join(import.meta.dirname, 'go-kubernetes'),
}

/** Generates Go clients from OpenAPI documents. */
export const oapiCodegen: GoProgram = {
  name: 'oapi-codegen',
  module: 'github.com/oapi-codegen/oapi-codegen/v2',
  version: 'v2.8.2',
  package: './cmd/oapi-codegen',
  dependenciesOf: join(import.meta.dirname, 'go-openapi'),
}

/** Path of the program of exactly this version once it is built. */
export function binaryPath({ name, version }: GoProgram): string {
  return join(interopFolder, 'bin', `${name}-${version}${suffix}`)
}

/** Whether the program is built. */
export function isInstalled(program: GoProgram): boolean {
  return existsSync(binaryPath(program))
}

/** Where install records the source folder of a program: the suite runs its tests from there. */
export function sourceNotePath(program: GoProgram): string {
  return `${binaryPath(program)}.source`
}

/** The path of a built program. @throws Error with the command that builds it. */
export function requireBinary(program: GoProgram): string {
  if (isInstalled(program)) return binaryPath(program)
  throw new Error(`${program.name} ${program.version} is not built yet. Run: npm run interop:install`)
}
