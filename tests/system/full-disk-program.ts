// Fills the disk of a storage service by uploads, deletes some, kills the service and restarts it. Prints the result of each step.
// The account counts as a paying one.
import { randomBytes } from 'node:crypto'
import { statfsSync } from 'node:fs'
import { join } from 'node:path'
import { startStorageProcess } from '../faults/storage-process.ts'
import { createTestKey } from '../fixtures.ts'

const disk = process.argv[2] ?? ''
const settings = { CAIRN_FREE_DISK_RESERVE: '0', CAIRN_LOG_LEVEL: 'silent' }
const start = () => startStorageProcess(join(disk, 'home'), settings)
let service = await start()
const { apiKey } = await createTestKey({ profile: service })
const call = async (path: string, options: RequestInit = {}) => {
  const answer = await fetch(`${service.api}${path}`, { ...options, headers: { authorization: `Bearer ${apiKey}` } })
  return { status: answer.status, body: await answer.text() }
}
const cids: string[] = []
const statuses = new Set<number>()
for (const sizeBytes of [2_000_000, 60_000, 1000]) {
  for (let isFull = false; !isFull; ) {
    const body = new FormData()
    body.append('file', new Blob([randomBytes(sizeBytes)]), 'file.bin')
    const { status, body: text } = await call('/api/v0/add', { method: 'POST', body })
    if (status === 200) cids.push(String(JSON.parse(text).Hash))
    else statuses.add(status)
    isFull = status !== 200
  }
}
const { bavail, bsize } = statfsSync(disk)
const remove = async (cid = '') => (await call(`/api/user/delete_file?cid=${cid}`, { method: 'DELETE' })).status
const deleted = await Promise.all(cids.splice(0, 20).map(remove))
const ready = (await call('/readyz')).status
await service.kill()
service = await start()
const read = (await fetch(`${service.gateway}/ipfs/${cids[0]}`)).status
const deletedLater = await remove(cids[0])
await service.kill()
const report = { refused: [...statuses], freeBytes: bavail * bsize, deleted, ready, read, deletedLater }
process.stdout.write(`${JSON.stringify(report)}\n`)
