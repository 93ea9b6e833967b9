import { messages } from '../messages/messages.ts'
import { toastDone } from '../ui/toasts/toast-store.ts'
import { copyText } from '../ui/values/copy-text.ts'

/** Copies the link to content, and states who can open it: a link to an encrypted file gives no access. */
export async function copyOpenLink(cid: string, isEncrypted: boolean): Promise<void> {
  if (!(await copyText(`${location.origin}/open/${cid}`))) return
  toastDone(messages.files.linkCopied, messages.files.linkOpensFor[isEncrypted ? 'encrypted' : 'public'])
}
