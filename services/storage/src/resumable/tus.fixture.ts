import { tusBodyType, type UploadInfo } from '@cairn/protocol'
import { freedFeedFrom } from '../multipart/freed-feed.fixture.ts'
import type { TestStorage } from '../start-test-storage.fixture.ts'
import { receiveBytes } from './receive-bytes.ts'
import { takeUpload } from './store.ts'

/** Whose uploads, and where: asked for at each call, so that tests may change it between. */
export type TusSubject = { storage: TestStorage; key: string; address: string }

type TusRequest = Omit<RequestInit, 'headers'> & { headers?: Record<string, string>; duplex?: 'half' }

/** An `Upload-Metadata`. */
export function tusMetadata(values: Record<string, string>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')
}

/** A client of the tus protocol, request by request. */
export function createTus(subject: () => TusSubject) {
  const tus = (path: string, options: TusRequest = {}, at = subject().storage) =>
    at.call(path, {
      ...options,
      headers: { authorization: `Bearer ${subject().key}`, 'tus-resumable': '1.0.0', ...options.headers },
    })
  return {
    tus,
    /** Begins an upload; answers its path. */
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
    /** What the account uses and holds, and how many parts of uploads lie in the store. */
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
    /** As if the process died between the last byte and storing: somebody has the right to the upload who never comes back. */
    async dieBeforeStoring(path: string, bytes: Uint8Array) {
      const { context } = subject().storage
      const upload = await takeUpload(context, path.split('/').at(-1) ?? '', 'receiving', 'dead')
      if (upload === undefined) throw new Error('nobody else has it')
      await receiveBytes(context, upload, 'dead', freedFeedFrom([bytes]))
    },
  }
}
