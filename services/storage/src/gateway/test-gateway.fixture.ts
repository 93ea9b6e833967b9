import { hash } from 'node:crypto'
import { CairnError } from '@cairn/protocol'
import { createLogGate } from '@cairn/service'
import {
  type BlockSource,
  createDirectoryTree,
  createFileImporter,
  createVerifyingSource,
  type ImportedNode,
  type ImportProfile,
  importProfiles,
  importSymlink,
  UnixfsError,
} from '@cairn/unixfs'
import Fastify, { type FastifyBaseLogger, type FastifyInstance } from 'fastify'
import type { CID } from 'multiformats/cid'
import { readConfig } from '../config.ts'
import { createStorageMetrics } from '../metrics.ts'
import { createDenylist, type Denylist } from '../moderation/moderation.ts'
import type { NameResolver } from '../names/names.ts'
import { createPictures, type Pictures } from '../pictures/pictures.ts'
import { createGatewayApp } from './app.ts'

/** Content of a test folder by path: text, bytes, or a link. */
export type TestFiles = Record<string, string | Uint8Array | { target: string }>

export type TestGateway = {
  app: FastifyInstance
  /** Blocks by multihash in hex. A test may damage or remove them. */
  blocks: Map<string, Uint8Array>
  /** Reads of blocks so far; `settle` waits until several turns of the event loop bring no new one. */
  reads: { count: number; settle(): Promise<void> }
  /** Stores any block under a CID. */
  put(cid: CID, bytes: Uint8Array): void
  /** Stores one file. */
  addFile(bytes: string | Uint8Array, profile?: ImportProfile): Promise<CID>
  /** Stores a folder with all its content. */
  addFolder(files: TestFiles, profile?: ImportProfile): Promise<CID>
}

export const sha256 = (bytes: Uint8Array): Uint8Array => hash('sha256', bytes, 'buffer')

export const blockKey = (cid: CID): string => Buffer.from(cid.multihash.bytes).toString('hex')

/** For tests that do not concern names. */
const noNames: NameResolver = {
  read: () => undefined,
  hasDnslink: () => Promise.resolve(false),
  resolve: () => Promise.reject(new CairnError('NAME_UNRESOLVED')),
  record: () => Promise.reject(new CairnError('NAME_UNRESOLVED')),
}

/** Starts a gateway over blocks that the test can damage one by one. */
export function createTestGateway(
  settings: {
    hosts?: string[]
    proxies?: string[]
    now?: () => number
    names?: NameResolver
    publicUrl?: string
    denylist?: Denylist
    /** Resizing is off by default. */
    pictures?: Pictures
    onSent?: (rootMultihash: Uint8Array, bytes: number) => void
    onMore?: () => void
    /** Nothing is logged by default. */
    log?: FastifyBaseLogger
  } = {},
): TestGateway {
  const log = settings.log ?? Fastify({ logger: false }).log
  const metrics = createStorageMetrics()
  const clock = { now: settings.now ?? Date.now }
  const config = { ...readConfig({}), pictures: { processes: 0, cacheBytes: 0 } }
  const blocks = new Map<string, Uint8Array>()
  const reads = {
    count: 0,
    async settle() {
      for (let quiet = 0, last = -1; quiet < 200; quiet = reads.count === last ? quiet + 1 : 0) {
        last = reads.count
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
  const close = () => undefined
  const source: BlockSource = {
    async get(cid) {
      reads.count++
      const bytes = blocks.get(blockKey(cid))
      if (bytes === undefined) throw new UnixfsError('MISSING_BLOCK', 'not there', { cid: `${cid}` })
      return bytes
    },
  }
  const put = (cid: CID, bytes: Uint8Array) => void blocks.set(blockKey(cid), bytes.slice())
  const optionsOf = (profile: ImportProfile) => ({ profile, hash: sha256, sink: { put } })
  const importBytes = async (bytes: string | Uint8Array, profile: ImportProfile): Promise<ImportedNode> => {
    const file = createFileImporter(optionsOf(profile))
    await file.write(typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
    return file.finish()
  }
  return {
    app: createGatewayApp({
      packs: {
        openReader: () => ({ ...createVerifyingSource(source, sha256), close }),
        openPrivate: () => ({ ...source, close }),
      },
      links: { find: async () => undefined },
      names: settings.names ?? noNames,
      denylist: settings.denylist ?? createDenylist(undefined),
      pictures: settings.pictures ?? createPictures({ config, metrics, failures: createLogGate({ clock, log }) }),
      clock,
      log,
      metrics,
      publicListeners: 2,
      onSent: settings.onSent ?? (() => undefined),
      onMore: settings.onMore ?? (() => undefined),
      config: {
        ...config,
        gatewayHosts: settings.hosts ?? ['dweb.test'],
        publicGatewayUrl: settings.publicUrl,
        trustedProxies: settings.proxies ?? [],
        // All readers of a test come from one address, regardless of the machine's open file limit.
        maxConnections: 1000,
        maxConnectionsPerAddress: 1000,
      },
    }),
    blocks,
    reads,
    put,
    addFile: async (bytes, profile = importProfiles.v1) => (await importBytes(bytes, profile)).cid,
    async addFolder(files, profile = importProfiles.v1) {
      const tree = createDirectoryTree({ ...optionsOf(profile), wrap: true })
      for (const [path, content] of Object.entries(files)) {
        const isLink = typeof content === 'object' && 'target' in content
        const node = isLink
          ? await importSymlink(content.target, optionsOf(profile))
          : await importBytes(content, profile)
        tree.addFile(path, node)
      }
      return (await tree.finish()).root.cid
    },
  }
}

/** Bytes without a pattern that could hide a wrong offset. */
export function makeBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let state = 42
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    bytes[at] = state >>> 16
  }
  return bytes
}
