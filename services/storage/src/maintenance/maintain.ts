import { CairnError } from '@cairn/protocol'
import type { StorageConfig } from '../config.ts'
import { check } from '../packs/checking/check.ts'
import { claimPackFolder, discardRecovered, findRecovered, importPacks, takeOverPackFolder } from '../packs/packs.ts'
import { holdRecovered, listRecovered } from '../uploads/uploads.ts'
import { describeFinding, describeImportedPack, describeListed, describeRepair, describeUnlisted } from './describe.ts'
import { openStore } from './open-store.ts'
import { repair } from './repair.ts'

/** Reports what a command finds and does: an object for programs, a line for people. */
export type Report = (json: object, text: string) => void

/** Whether the store is in order after the command. */
export type Outcome = { isWell: boolean }

/**
 * `npm run storage:check`: compares database and packs in full and changes nothing, whether or not the service runs.
 * @param readData fraction of packs whose bytes are read and verified, from 0 to 1
 */
export async function checkStore(
  config: StorageConfig,
  { readData }: { readData: number },
  report: Report,
): Promise<Outcome> {
  await using store = await openStore(config, 'read')
  let findings = 0
  for await (const finding of check({ ...store, readData })) {
    findings++
    report(finding, describeFinding(finding))
  }
  report({ kind: 'summary', findings }, findings === 0 ? 'The database matches the packs.' : `${findings} findings.`)
  return { isWell: findings === 0 }
}

/** `npm run storage:repair`: repairs what `check` finds. Removes no object. */
export async function repairStore(config: StorageConfig, report: Report): Promise<Outcome> {
  await using store = await openStore(config, 'change')
  await claimPackFolder(store)
  let fixed = 0
  let left = 0
  for await (const step of repair(store)) {
    const isFixed = !['none', 'unreadable', 'marked-missing'].includes(step.done.kind)
    if (isFixed) fixed++
    else left++
    report(step, describeRepair(step))
  }
  await holdRecovered(store)
  report({ kind: 'summary', fixed, left }, `${fixed} fixed, ${left} unchanged.`)
  return { isWell: left === 0 }
}

/** Options of a recovery. */
export type RecoverOptions = {
  /** Assigns the pack folder to this database, regardless of its previous owner. */
  takeOver: boolean
  /** Address of the account that the content is listed for. */
  owner: string | undefined
}

/**
 * `npm run storage:recover`: imports packs whose rows were lost, and lists their content for an account. Can be
 * interrupted and repeated.
 */
export async function recoverStore(config: StorageConfig, options: RecoverOptions, report: Report): Promise<Outcome> {
  await using store = await openStore(config, 'recover')
  if (options.takeOver) await takeOverPackFolder(store)
  else await claimPackFolder(store)
  const counts = { takenIn: 0, unreadable: 0, listed: 0, incomplete: 0, unlisted: 0 }
  for await (const taken of importPacks(store)) {
    if (taken.kind === 'taken-in') counts.takenIn++
    else counts.unreadable++
    report(taken, describeImportedPack(taken))
  }
  if (options.owner !== undefined) {
    for await (const root of listRecovered(store, options.owner)) {
      if (root.kind === 'listed') counts.listed++
      else counts.incomplete++
      report(root, describeListed(root))
    }
  }
  await holdRecovered(store)
  for await (const _pack of findRecovered(store)) counts.unlisted++
  report({ kind: 'summary', ...counts }, summarise(counts))
  return { isWell: counts.unreadable === 0 && counts.incomplete === 0 }
}

/**
 * `npm run storage:recover -- --unlisted`: reports the imported packs that are not listed for any account.
 * @param discard object keys of those to discard, or `all`
 * @throws CairnError INVALID_REQUEST if one of the keys is not among them. Then none is discarded
 */
export async function settleUnlisted(
  config: StorageConfig,
  discard: readonly string[],
  report: Report,
): Promise<Outcome> {
  await using store = await openStore(config, 'recover')
  await claimPackFolder(store)
  const unlisted = await Array.fromAsync(findRecovered(store))
  const known = new Set(['all', ...unlisted.map(({ objectKey }) => objectKey)])
  const unknown = discard.find((key) => !known.has(key))
  if (unknown !== undefined) {
    throw new CairnError('INVALID_REQUEST', {
      message: `${unknown} is not an imported pack without an owner`,
      hint: 'Run the command with --unlisted alone for a list of them.',
    })
  }
  const counts = { unlisted: 0, discarded: 0, sizeBytes: 0 }
  for (const { id, objectKey, sizeBytes, createdAt, roots: all, unlisted: left } of unlisted) {
    const isDiscarded = discard.includes('all') || discard.includes(objectKey)
    if (isDiscarded) await discardRecovered(store.db, id, store.clock.now())
    counts[isDiscarded ? 'discarded' : 'unlisted']++
    counts.sizeBytes += sizeBytes
    const roots = (left.length > 0 ? left : all).map(String)
    const pack = { objectKey, sizeBytes, createdAt, roots, isDiscarded }
    report({ kind: 'unlisted', ...pack }, describeUnlisted(pack))
  }
  report(
    { kind: 'summary', ...counts },
    `${unlisted.length} packs of ${counts.sizeBytes} bytes without an owner, ${counts.discarded} of them discarded.`,
  )
  return { isWell: true }
}

function summarise(counts: Record<'takenIn' | 'unreadable' | 'listed' | 'incomplete' | 'unlisted', number>): string {
  const lines = [`${counts.takenIn} packs recovered, ${counts.unreadable} unreadable packs kept.`]
  if (counts.listed + counts.incomplete > 0) lines.push(`${counts.listed} listed, ${counts.incomplete} incomplete.`)
  if (counts.unlisted > 0) {
    lines.push(
      `${counts.unlisted} packs are readable by CID and have no owner. To list them for an account, run the command again with --owner <address>.`,
    )
  }
  return lines.join('\n')
}
