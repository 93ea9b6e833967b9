import { messages } from '../messages/messages.ts'
import { sessionKeyName } from '../session/session-key-name.ts'

/** Returns the name of an API key as it is shown: that of the console's sessions is in the language of the page. */
export function shownKeyName(name: string): string {
  if (name === sessionKeyName) return messages.apiKeys.sessionName
  return name === '' ? messages.apiKeys.unnamed : name
}
