import { createConditions, saveShard } from '@cairn/protocol'

/**
 * Whether a call saves a key: the only operation that may follow hours after its text was signed, when an upload has
 * finished.
 */
export function isSaving(callId: string): boolean {
  return callId === saveShard.id || callId === createConditions.id
}
