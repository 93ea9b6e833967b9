import { tusBodyType, type UploadInfo } from '@cairn/protocol'
import { freedFeedFrom } from '../multipart/freed-feed.fixture.ts'
import type { TestStorage } from '../start-test-storage.fixture.ts'
import { receiveBytes } from './receive-bytes.ts'
import { acquireUpload } from './store.ts'

/** The service and account under test: read at each call, so that tests may change it in between. */
export type TusSubject = { storage: TestStorage; key: string; address: string }

type TusRequest = Omit<RequestInit, 'headers'> & { headers?: Record<string, string>; duplex?: 'half' }

/** Encodes an `Upload-Metadata` header. */
export function tusMetadata(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')
}

/** A client of the tus protocol, one method per request. */
export function createTus(subject: () => TusSubject) {
  const tus = (path: string, options: TusRequest = {}, at = subject().storage) =>
    at.call(path, {
      ...options,
      headers: { authorization: `Bearer ${subject().key}`, 'tus-resumable': '1.0.0', ...options.headers },
    })
  return {
    tus,
    /** Creates an upload and returns its path. */
    async create(length: number, values: Record<string, string> = { filename: 'a.bin' }) {
      const answer = await tus('/api/uploads', {
        method: 'POST',
        headers: { 'upload-length': String(length), 'upload-metadata': tusMetadata(values) },
      })
      if (answer.status !== 201 || answer.headers.get('tus-resumable') !== '1.0.0') {
        throw new Error(`${answer.status}: ${answer.body}`)
      }
      return new URL(answer.headers.get('location') ?? '', 'http://x/api/uploads').pathname
    },
    patch: (path: string, offset: number, bytes: Uint8Array, at = subject().storage) =>
      tus(
        path,
        {
          method: 'PATCH',
          headers: { 'upload-offset': String(offset), 'content-type': tusBodyType },
          body: Buffer.from(bytes),
        },
        at,
      ),
    async head(path: string) {
      const answer = await tus(path, { method: 'HEAD' })
      return { status: answer.status, offset: Number(answer.headers.get('upload-offset')) }
    },
    info: async (path: string) => (await tus(path)).json as UploadInfo,
    read: async (cid: string) =>
      new Uint8Array(await (await fetch(`${subject().storage.gatewayUrl}/ipfs/${cid}`)).arrayBuffer()),
    /** Used and reserved bytes of the account, and the number of upload parts in the store. */
    async figures() {
      const { db, objects } = subject().storage.context
      const row = await db.read
        .selectFrom('account')
        .selectAll()
        .where('address', '=', subject().address)
        .executeTakeFirstOrThrow()
      const parts: string[] = []
      for await (const name of objects.list('uploads/')) parts.push(name)
      return {
        used: row.data_used_bytes,
        reserved: row.reserved_bytes,
        uploads: row.upload_count,
        parts: parts.length,
      }
    },
    /**
     * Simulates a process that died between the last byte and storing: a writer that never returns holds the upload.
     */
    async dieBeforeStoring(path: string, bytes: Uint8Array) {
      const { context } = subject().storage
      const upload = await acquireUpload(context, path.split('/').at(-1) ?? '', 'receiving', 'dead')
      if (upload === undefined) throw new Error('nobody else has it')
      await receiveBytes(context, upload, 'dead', freedFeedFrom([bytes]))
    },
  }
}
