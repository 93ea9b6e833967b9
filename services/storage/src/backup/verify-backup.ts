import { CairnError, forEachOf } from '@cairn/protocol'
import { listBackupIds, type Opener, readDump, readStored, readWhole, type StoredFile } from '@cairn/service/backup'
import type { ObjectStore } from '@cairn/service/objects'
import type { OnProgress } from './create-backup.ts'
import { type Manifest, manifests, readObjectLines } from './manifest.ts'
import { parseSecrets } from './secrets.ts'

const readsAtOnce = 4

/** A file or object that does not match its backup. */
export type BackupFinding = { kind: 'damaged'; backup: string; object: string; problem: string }

/** Dependencies of a verification. */
export type VerifyParts = {
  place: ObjectStore
  /** All backups when undefined. */
  id: string | undefined
  /** Decrypts database and secrets too when given. */
  open: Opener | undefined
  signal: AbortSignal
  onProgress: OnProgress
  onFinding(finding: BackupFinding): void
}

/**
 * Reads backups completely and compares every sum, each object once. Returns the number of backups and objects.
 * @throws CairnError NOT_FOUND, BACKUP_NEWER, BACKUP_KEY
 */
export async function verifyBackups(
  parts: VerifyParts,
): Promise<{ backups: number; objects: number; findings: number }> {
  const { place, onFinding } = parts
  const all = parts.id === undefined ? await listBackupIds(place) : []
  // Nothing to verify is an error, not a success.
  const ids = all.length > 0 ? all : [(await manifests.find(place, parts.id)).id]
  const verified = new Set<string>()
  let findings = 0
  for (const id of ids) {
    const note = (object: string, problem: string) => {
      findings++
      onFinding({ kind: 'damaged', backup: id, object, problem })
    }
    const manifest = await guard(note, `backups/${id}/manifest.json`, () => manifests.read(place, id))
    if (manifest === undefined) continue
    await verifyFiles(parts, manifest, note)
    const listed = await guard(note, manifest.files.objects.key, () => readFiles(place, manifest))
    const due = (listed ?? []).filter(({ key, sha256 }) => !verified.has(`${key} ${sha256}`))
    let done = 0
    await forEachOf(due, readsAtOnce, async (file) => {
      parts.signal.throwIfAborted()
      await guard(note, file.key, () => drain(readStored(place, file, parts.signal)))
      verified.add(`${file.key} ${file.sha256}`)
      parts.onProgress({ phase: 'objects', done: ++done, of: due.length })
    })
  }
  return { backups: ids.length, objects: verified.size, findings }
}

async function readFiles(place: ObjectStore, manifest: Manifest): Promise<StoredFile[]> {
  const files: StoredFile[] = []
  for await (const line of readObjectLines(place, manifest)) if (!('missing' in line)) files.push(line)
  return files
}

async function verifyFiles(
  { place, open, signal }: VerifyParts,
  { files }: Manifest,
  note: (object: string, problem: string) => void,
): Promise<void> {
  const { database, secrets } = files
  await guard(note, secrets.key, async () => {
    const stored = readStored(place, secrets, signal)
    if (open === undefined) await drain(stored)
    else parseSecrets(await readWhole(open(stored)), secrets.key)
  })
  await guard(note, database.key, async () => {
    const stored = readStored(place, database, signal)
    await drain(open === undefined ? stored : readDump(open(stored), database.key))
  })
}

/** Notes what is damaged. Other errors end the verification. */
async function guard<T>(
  note: (object: string, problem: string) => void,
  object: string,
  run: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await run()
  } catch (error) {
    if (!CairnError.is(error, 'BACKUP_DAMAGED')) throw error
    note(object, error.message)
    return undefined
  }
}

async function drain(parts: AsyncIterable<unknown>): Promise<void> {
  for await (const _part of parts);
}
