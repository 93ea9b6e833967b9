import type { Draft } from './draft.ts'

/**
 * Unsaved drafts, by CID. They survive navigation and a change of the account, to which they reveal nothing: conditions are
 * public.
 */
const drafts = new Map<string, Draft>()

export function recallDraft(cid: string): Draft | undefined {
  return drafts.get(cid)
}

export function keepDraft(cid: string, draft: Draft | undefined): void {
  if (draft === undefined) drafts.delete(cid)
  else drafts.set(cid, draft)
}
