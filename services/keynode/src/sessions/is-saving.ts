import { createConditions, saveShard } from '@cairn/protocol'

/** Whether a call saves a key: the one operation that may follow hours after its text was signed, when an upload is through. */
export function isSaving(callId: string): boolean {
  return callId === saveShard.id || callId === createConditions.id
}
