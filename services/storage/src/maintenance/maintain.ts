import type { StorageConfig } from '../config.ts'
import { check } from '../packs/check.ts'
import { claimPackFolder, findRecovered, takeInPacks, takeOverPackFolder } from '../packs/packs.ts'
import { repair } from '../packs/repair.ts'
import { listRecovered } from '../uploads/uploads.ts'
import { describeFinding, describeListed, describeRepair, describeTakenIn } from './describe.ts'
import { openStore } from './open-store.ts'

/** Reports what a command finds and does: an object for programs, a line for people. */
export type Tell = (json: object, text: string) => void

/** Whether the store is in order after the command. */
export type Outcome = { isWell: boolean }

/**
 * `npm run storage:check`: compares database and packs in full and changes nothing, while the service runs or not.
 * @param readData part of the packs whose bytes are read and verified, from 0 to 1
 */
export async function checkStore(
  config: StorageConfig,
  { readData }: { readData: number },
  tell: Tell,
): Promise<Outcome> {
  await using store = await openStore(config, 'read')
  let findings = 0
  for await (const finding of check({ ...store, readData })) {
    findings++
    tell(finding, describeFinding(finding))
  }
  tell({ kind: 'summary', findings }, findings === 0 ? 'Database and packs belong together.' : `${findings} findings.`)
  return { isWell: findings === 0 }
}

/** `npm run storage:repair`: fixes what `check` finds. Removes no object. */
export async function repairStore(config: StorageConfig, tell: Tell): Promise<Outcome> {
  await using store = await openStore(config, 'change')
  await claimPackFolder(store)
  let fixed = 0
  let left = 0
  for await (const step of repair(store)) {
    const isFixed = !['none', 'unreadable', 'marked-missing'].includes(step.done.kind)
    if (isFixed) fixed++
    else left++
    tell(step, describeRepair(step))
  }
  tell({ kind: 'summary', fixed, left }, `${fixed} fixed, ${left} left as they are.`)
  return { isWell: left === 0 }
}

/** What a recovery does beside taking packs in. */
export type RecoverOptions = {
  /** Gives the pack folder to this database, whichever it belonged to. */
  takeOver: boolean
  /** Address of the account that the content is listed for. */
  owner: string | undefined
}

/**
 * `npm run storage:recover`: takes in packs whose rows were lost, and lists their content for an account. Can be interrupted and
 * repeated.
 */
export async function recoverStore(config: StorageConfig, options: RecoverOptions, tell: Tell): Promise<Outcome> {
  await using store = await openStore(config, 'recover')
  if (options.takeOver) await takeOverPackFolder(store)
  else await claimPackFolder(store)
  const counts = { takenIn: 0, unreadable: 0, listed: 0, incomplete: 0, unlisted: 0 }
  for await (const taken of takeInPacks(store)) {
    if (taken.kind === 'taken-in') counts.takenIn++
    else counts.unreadable++
    tell(taken, describeTakenIn(taken))
  }
  if (options.owner !== undefined) {
    for await (const root of listRecovered(store, options.owner)) {
      if (root.kind === 'listed') counts.listed++
      else counts.incomplete++
      tell(root, describeListed(root))
    }
  }
  for await (const _pack of findRecovered(store)) counts.unlisted++
  tell({ kind: 'summary', ...counts }, summarise(counts))
  return { isWell: counts.unreadable === 0 && counts.incomplete === 0 }
}

function summarise(counts: Record<'takenIn' | 'unreadable' | 'listed' | 'incomplete' | 'unlisted', number>): string {
  const lines = [`${counts.takenIn} packs taken in, ${counts.unreadable} unreadable and kept as they are.`]
  if (counts.listed + counts.incomplete > 0) lines.push(`${counts.listed} listed, ${counts.incomplete} incomplete.`)
  if (counts.unlisted > 0) {
    lines.push(
      `${counts.unlisted} packs can be read by CID and are kept without an owner. To list them for an account, run the command again with --owner <address>.`,
    )
  }
  return lines.join('\n')
}
