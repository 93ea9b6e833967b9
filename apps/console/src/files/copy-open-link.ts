import { messages } from '../messages/messages.ts'
import { toastDone } from '../ui/toast-store.ts'

/** Copies the link to content, and states who can open it: a link to an encrypted file gives no access. */
export async function copyOpenLink(cid: string, isEncrypted: boolean): Promise<void> {
  await navigator.clipboard.writeText(`${location.origin}/open/${cid}`)
  toastDone(messages.files.linkCopied, messages.files.linkOpensFor[isEncrypted ? 'encrypted' : 'public'])
}
