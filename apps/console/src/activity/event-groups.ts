import type { EventType } from '@cairn/protocol'
import type { EventGroup } from './activity-search.ts'

const groupOf: Record<EventType, EventGroup> = {
  'upload.stored': 'files',
  'upload.deleted': 'files',
  'pin.pinned': 'files',
  'pin.failed': 'files',
  'name.published': 'files',
  'link.created': 'sharing',
  'link.opened': 'sharing',
  'link.revoked': 'sharing',
  'upload_link.created': 'sharing',
  'upload_link.used': 'sharing',
  'upload_link.revoked': 'sharing',
  'payment.credited': 'payments',
  'deal.active': 'proofs',
  'deal.lost': 'proofs',
  'proof.missed': 'proofs',
  'proof.resumed': 'proofs',
  'api_key.created': 'account',
  'api_key.revoked': 'account',
  's3_key.created': 'account',
  'webhook.created': 'account',
  'webhook.removed': 'account',
  'webhook.disabled': 'account',
}

/** Events that others caused, or that need the owner: the bell reports them. */
export const notifiedTypes: readonly EventType[] = [
  'link.opened',
  'upload_link.used',
  'payment.credited',
  'pin.failed',
  'deal.lost',
  'proof.missed',
  'webhook.disabled',
]

/** Whether this console knows a type of events. A newer service may have others. */
export function isKnown(type: string): type is EventType {
  return Object.hasOwn(groupOf, type)
}

/** Returns the types of a group. */
export function typesOf(group: EventGroup): EventType[] {
  return Object.keys(groupOf)
    .filter(isKnown)
    .filter((type) => groupOf[type] === group)
}
