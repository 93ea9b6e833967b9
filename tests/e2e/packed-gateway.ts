import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLogGate } from '@cairn/service'
import { readConfig } from '@cairn/storage'
import { createDirectoryTree, createFileImporter, type ImportProfile, importProfiles } from '@cairn/unixfs'
import Fastify, { type FastifyInstance } from 'fastify'
import type { CID } from 'multiformats/cid'
import { openFileStore } from '../../packages/service/src/objects/files.ts'
import { type Database, openDatabase } from '../../services/storage/src/db/database.ts'
import { createGatewayApp } from '../../services/storage/src/gateway/app.ts'
import { createStorageMetrics } from '../../services/storage/src/metrics.ts'
import { createDenylist } from '../../services/storage/src/moderation/denylist.ts'
import { createNameResolver } from '../../services/storage/src/names/names.ts'
import { createPackStore } from '../../services/storage/src/packs/create-pack-store.ts'
import { hashSha256, type PackEvent, type PackStore, type PackWriter } from '../../services/storage/src/packs/packs.ts'
import { createPictures } from '../../services/storage/src/pictures/pictures.ts'

/** A gateway on a real listener, over packs on disk. */
export type PackedGateway = {
  app: FastifyInstance
  url: string
  port: number
  /** The folder of the packs' files. */
  folder: string
  packs: PackStore
  db: Database
  events: PackEvent[]
  addFile(bytes: AsyncIterable<Uint8Array> | Uint8Array, profile?: ImportProfile): Promise<CID>
  addFolder(files: Record<string, Uint8Array | string>, profile?: ImportProfile): Promise<CID>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts it in a temporary folder, on any port. */
export async function createPackedGateway(): Promise<PackedGateway> {
  const home = await mkdtemp(join(tmpdir(), 'cairn-gateway-'))
  const folder = join(home, 'packs')
  const db = await openDatabase({ kind: 'sqlite', path: join(home, 'cairn.db') })
  const objects = await openFileStore(folder)
  const clock = { now: Date.now }
  const events: PackEvent[] = []
  const packs = createPackStore({ db, objects, clock, onEvent: (event) => events.push(event) })
  const log = Fastify({ logger: false }).log
  const metrics = createStorageMetrics()
  const config = readConfig({ CAIRN_HOME: home })
  const pictures = createPictures({ config, metrics, failures: createLogGate({ clock, log }) })
  const app = createGatewayApp({
    packs,
    denylist: createDenylist(undefined),
    links: { find: async () => undefined },
    names: createNameResolver({ db, clock }, undefined),
    clock,
    pictures,
    log,
    metrics,
    config,
    publicListeners: 2,
    onSent: () => undefined,
    onMore: () => undefined,
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })

  const store = async (write: (sink: PackWriter['sink']) => Promise<CID>): Promise<CID> => {
    const writer = packs.begin()
    const root = await write(writer.sink)
    const sealed = await writer.seal([root])
    const now = clock.now()
    const id = crypto.randomUUID()
    await db.write(async (trx) => {
      await trx
        .insertInto('upload')
        .values({
          id,
          address: '0x0000000000000000000000000000000000000001',
          cid: `${root}`,
          root_multihash: root.multihash.bytes,
          name: 'test',
          mime_type: null,
          size_bytes: 1,
          dag_size_bytes: 1,
          encryption: 0,
          storage_type: null,
          kind: 'file',
          status: 'queued',
          created_at: now,
          updated_at: now,
        })
        .execute()
      await packs.record(trx, sealed, id)
    })
    return root
  }

  return {
    app,
    url,
    port: Number(new URL(url).port),
    folder,
    packs,
    db,
    events,
    addFile: (bytes, profile = importProfiles.v1) =>
      store(async (sink) => {
        const file = createFileImporter({ profile, hash: hashSha256, sink })
        for await (const piece of bytes instanceof Uint8Array ? [bytes] : bytes) await file.write(piece)
        return (await file.finish()).cid
      }),
    addFolder: (files, profile = importProfiles.v1) =>
      store(async (sink) => {
        const tree = createDirectoryTree({ profile, hash: hashSha256, sink })
        for (const [path, content] of Object.entries(files)) {
          const file = createFileImporter({ profile, hash: hashSha256, sink })
          await file.write(typeof content === 'string' ? Buffer.from(content) : content)
          tree.addFile(path, await file.finish())
        }
        return (await tree.finish()).root.cid
      }),
    async [Symbol.asyncDispose]() {
      app.server.closeAllConnections()
      await app.close()
      await pictures[Symbol.asyncDispose]()
      await db.close()
      await rm(home, { recursive: true, force: true })
    },
  }
}
