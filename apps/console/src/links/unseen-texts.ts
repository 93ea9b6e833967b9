import { messages } from '../messages/messages.ts'

/** What is said of a link that was made after its dialog was closed. */
export function unseenTexts() {
  const { revokeDone, unseen, unseenValid } = messages.links
  return { revoked: revokeDone, reason: unseen, stillValid: unseenValid }
}
