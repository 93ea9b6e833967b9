import type { Draft } from './draft.ts'

/**
 * Unsaved drafts, by CID: they survive navigation and another account in the wallet. Conditions are public, so no data
 * of an account remains.
 */
const drafts = new Map<string, Draft>()

export function recallDraft(cid: string): Draft | undefined {
  return drafts.get(cid)
}

export function keepDraft(cid: string, draft: Draft | undefined): void {
  if (draft === undefined) drafts.delete(cid)
  else drafts.set(cid, draft)
}
