import { messages } from '../messages/messages.ts'

/** Texts about a link that was created after its dialog was closed. */
export function unseenTexts() {
  const { revokeDone, unseen, unseenValid } = messages.links
  return { revoked: revokeDone, reason: unseen, stillValid: unseenValid }
}
