import { createHash, randomBytes, randomInt } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { MIB, type NetworkProfile, type UploadInfo } from '@cairn/protocol'
import {
  createClient,
  createResumable,
  getUsage,
  listFiles,
  type ResumableState,
  uploadFile,
  uploadFolder,
} from '@cairn/sdk'
import { expect, it } from 'vitest'
import { createTestKey } from '../fixtures.ts'
import { type StorageProcess, startStorageProcess } from './storage-process.ts'

const sizeBytes = 96 * MIB
const maxKills = 12

/**
 * A file is imported while its bytes arrive, so a kill may hit any step of any segment. A folder is imported after the last
 * byte, which takes long enough to be killed on purpose.
 */
const sources = [
  { what: 'a file', upload: uploadFile, name: 'large.bin', stepBytes: 8 * MIB, minKillsWhileStoring: 0 },
  { what: 'a folder', upload: uploadFolder, name: 'large', stepBytes: 24 * MIB, minKillsWhileStoring: 1 },
]

/** Polls an upload until `isTime` returns true, or the service or the upload is gone. */
async function watch(
  service: StorageProcess,
  apiKey: string,
  id: () => string | undefined,
  isTime: (info: UploadInfo) => boolean,
): Promise<void> {
  for (;;) {
    const wanted = id()
    if (wanted !== undefined) {
      const answer = await fetch(`${service.api}/api/uploads/${wanted}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      })
      if (answer.ok && isTime((await answer.json()) as UploadInfo)) return
    }
    // Polls as often as possible, because the moment to kill is short.
    await wait(2)
  }
}

it.each(sources)(
  '$what resumes after kills at any point, and is stored once',
  {
    timeout: 400_000,
  },
  async ({ upload: send, name, stepBytes, minKillsWhileStoring }) => {
    const home = await mkdtemp(join(tmpdir(), 'cairn-resume-kill-'))
    let service = await startStorageProcess(home)
    try {
      const { apiKey } = await createTestKey({ profile: service })
      const bytes = randomBytes(sizeBytes)
      const path = join(home, name)
      const file = send === uploadFolder ? join(path, 'large.bin') : path
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, bytes)

      let state: ResumableState | undefined
      const client = () =>
        createClient({
          network: { name: 'test', api: service.api, upload: service.api, gateway: service.gateway } as NetworkProfile,
          apiKey,
        })
      const upload = (stop: AbortSignal) =>
        send(client(), path, {
          signal: stop,
          resumable: createResumable({
            ...(state === undefined ? {} : { state }),
            onState: (next) => {
              state = next
            },
          }),
        })

      let offset = 0
      let killedStoring = 0
      let isStored = false
      for (let kill = 0; kill < maxKills && killedStoring < 2 && !isStored; kill++) {
        const stop = new AbortController()
        const running = upload(stop.signal).catch((error: unknown) => error)
        const before = offset
        await watch(
          service,
          apiKey,
          () => state?.id,
          (info) => {
            // The previous kill lost nothing that was acknowledged.
            expect(info.offsetBytes).toBeGreaterThanOrEqual(before)
            offset = info.offsetBytes
            if (info.state === 'storing') killedStoring++
            isStored = info.state === 'stored'
            return info.state === 'storing' || isStored || offset >= before + stepBytes
          },
        )
        // At a different moment of the next segment each time.
        await wait(send === uploadFolder ? 0 : randomInt(60))
        await service.kill()
        stop.abort()
        await running
        service = await startStorageProcess(home)
      }
      console.log(`killed ${killedStoring} times between the last byte and storing`)
      expect(killedStoring).toBeGreaterThanOrEqual(minKillsWhileStoring)

      const { cid } = await upload(new AbortController().signal)
      const read = new Uint8Array(
        await (await fetch(`${service.gateway}/ipfs/${cid}${send === uploadFolder ? '/large.bin' : ''}`)).arrayBuffer(),
      )
      const sha = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
      expect(sha(read)).toBe(sha(bytes))
      expect((await getUsage(client())).usedBytes).toBe(sizeBytes)
      const listed = []
      for await (const file of listFiles(client())) listed.push(file.cid)
      expect(listed).toEqual([cid])
    } finally {
      await service.kill()
      await rm(home, { recursive: true, force: true })
    }
  },
)
