import type { Finding } from '../packs/checking/check.ts'
import type { ImportedPack } from '../packs/packs.ts'
import type { ListedRoot } from '../uploads/uploads.ts'
import type { Repair } from './repair.ts'

/** Describes a finding in one line for people. */
export function describeFinding(finding: Finding): string {
  switch (finding.kind) {
    case 'missing-pack':
      return `missing pack      ${finding.objectKey}: the database lists it, the object is missing`
    case 'returned-pack':
      return `returned pack     ${finding.objectKey}: it was missing and is available again`
    case 'wrong-size':
      return `wrong size        ${finding.objectKey}: ${finding.actualBytes} bytes, ${finding.expectedBytes} expected`
    case 'orphan-object':
      return `pack without rows ${finding.objectKey}: ${finding.sizeBytes} bytes, kept`
    case 'damaged-blocks':
      return `damaged blocks    ${finding.objectKey}: ${finding.count}`
    case 'pack-failures':
      return `faulty pack       ${finding.objectKey}: ${finding.failures.join(', ')}`
    case 'incomplete-upload':
      return `incomplete upload ${finding.cid}: its root cannot be read`
    case 'wrong-reference':
      return `wrong reference   pack ${finding.packId}: counted as ${finding.isReferenced ? 'unused' : 'used'}`
    case 'wrong-ledger':
      return `wrong sum         ${finding.address}: ${finding.field} is ${finding.is}, should be ${finding.shouldBe}`
  }
}

/** Describes a finding and its repair in two lines for people. */
export function describeRepair({ finding, done }: Repair): string {
  return `${describeFinding(finding)}\n  ${describeAction(done)}`
}

function describeAction(done: Repair['done']): string {
  switch (done.kind) {
    case 'taken-in':
      return `recovered: ${done.blocks} blocks, content of ${done.linkedUploads} uploads restored`
    case 'unreadable':
      return 'torn or not a pack: left in place'
    case 'marked-missing':
      return 'no longer used: restore the object, or upload the content again'
    case 'marked':
      return `${done.damaged} blocks marked as damaged, ${done.healed} blocks readable again`
    case 'corrected':
      return 'corrected'
    case 'none':
      return 'cannot be fixed here: upload the content again, or restore a backup'
  }
}

/** Describes an imported pack in one line for people. */
export function describeImportedPack(taken: ImportedPack): string {
  return taken.kind === 'taken-in'
    ? `recovered  ${taken.objectKey}: ${taken.blocks} blocks, ${taken.sizeBytes} bytes`
    : `unreadable ${taken.objectKey}: ${taken.sizeBytes} bytes, torn or not a pack, kept`
}

/** Describes a listed root in one line for people. */
export function describeListed(root: ListedRoot): string {
  return root.kind === 'listed'
    ? `listed     ${root.cid}: ${root.sizeBytes} bytes`
    : `incomplete ${root.cid}: ${root.reason}, its pack is kept`
}

/** Describes an imported pack without an owner in one line for people. */
export function describeUnlisted(pack: {
  objectKey: string
  sizeBytes: number
  createdAt: number
  roots: readonly string[]
  isDiscarded: boolean
}): string {
  const content = pack.roots.length === 0 ? 'part of an unfinished upload' : pack.roots.join(' ')
  return `${pack.isDiscarded ? 'discarded ' : 'unlisted  '} ${pack.objectKey}: ${pack.sizeBytes} bytes of ${new Date(pack.createdAt).toISOString()}, ${content}`
}
