import type { Finding } from '../packs/check.ts'
import type { TakenIn } from '../packs/packs.ts'
import type { Repair } from '../packs/repair.ts'
import type { ListedRoot } from '../uploads/uploads.ts'

/** One line about a finding, for people. */
export function describeFinding(finding: Finding): string {
  switch (finding.kind) {
    case 'missing-pack':
      return `missing pack      ${finding.objectKey}: its row is there, its object is gone`
    case 'returned-pack':
      return `returned pack     ${finding.objectKey}: it was missing and is there again`
    case 'wrong-size':
      return `wrong size        ${finding.objectKey}: ${finding.actualBytes} bytes, ${finding.expectedBytes} expected`
    case 'orphan-object':
      return `pack without rows ${finding.objectKey}: ${finding.sizeBytes} bytes, kept`
    case 'damaged-blocks':
      return `damaged blocks    ${finding.objectKey}: ${finding.count}`
    case 'pack-faults':
      return `faulty pack       ${finding.objectKey}: ${finding.faults.join(', ')}`
    case 'incomplete-upload':
      return `incomplete upload ${finding.cid}: its root cannot be read`
    case 'wrong-reference':
      return `wrong reference   pack ${finding.packId}: counted as ${finding.isReferenced ? 'unneeded' : 'needed'}`
    case 'wrong-ledger':
      return `wrong sum         ${finding.address}: ${finding.field} is ${finding.is}, should be ${finding.shouldBe}`
  }
}

/** Two lines about a finding and what was done about it, for people. */
export function describeRepair({ finding, done }: Repair): string {
  return `${describeFinding(finding)}\n  ${describeAction(done)}`
}

function describeAction(done: Repair['done']): string {
  switch (done.kind) {
    case 'taken-in':
      return `taken in: ${done.blocks} blocks, ${done.linkedUploads} uploads have their content again`
    case 'unreadable':
      return 'torn or not a pack: kept where it is'
    case 'marked-missing':
      return 'not relied on any more: put the object back, or upload the content again'
    case 'marked':
      return `${done.damaged} blocks marked as damaged, ${done.healed} read again`
    case 'corrected':
      return 'corrected'
    case 'none':
      return 'nothing can be done from here: upload the content again, or restore a backup'
  }
}

/** One line about a pack that was taken in, for people. */
export function describeTakenIn(taken: TakenIn): string {
  return taken.kind === 'taken-in'
    ? `taken in   ${taken.objectKey}: ${taken.blocks} blocks, ${taken.sizeBytes} bytes`
    : `unreadable ${taken.objectKey}: ${taken.sizeBytes} bytes, torn or not a pack; kept`
}

/** One line about a listed root, for people. */
export function describeListed(root: ListedRoot): string {
  return root.kind === 'listed'
    ? `listed     ${root.cid}: ${root.sizeBytes} bytes`
    : `incomplete ${root.cid}: ${root.reason}; its pack is kept`
}
