import type { Draft } from './draft.ts'

/**
 * Drafts that are not saved yet, by CID: they outlive another page and another account in the wallet. Conditions are public,
 * so nothing of an account stays behind with them.
 */
const drafts = new Map<string, Draft>()

export function recallDraft(cid: string): Draft | undefined {
  return drafts.get(cid)
}

export function keepDraft(cid: string, draft: Draft | undefined): void {
  if (draft === undefined) drafts.delete(cid)
  else drafts.set(cid, draft)
}
