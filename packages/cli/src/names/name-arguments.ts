import { CairnError, type Client, isCid } from '@cairn/sdk'
import type { CommandContext } from '../command.ts'
import { clean } from '../terminal/output.ts'
import { isNameForm } from './find-name.ts'

const maxLabelCharacters = 100

/**
 * Returns a required argument.
 * @throws CairnError USAGE
 */
export function argument({ args }: CommandContext, index: number, what: string): string {
  const value = args[index]?.trim() ?? ''
  if (value === '') {
    throw new CairnError('USAGE', {
      message: `name ${args[0]} requires ${what}`,
      hint: 'Run cairn name --help for usage.',
    })
  }
  return value
}

/**
 * Returns the label, if given.
 * @throws CairnError USAGE
 */
export function readLabel({ args }: CommandContext, index: number): string | undefined {
  const label = args[index]?.trim()
  if (label === undefined) return undefined
  const isShort = label !== '' && label.length <= maxLabelCharacters
  // What follows a "/" is a path below the name, and a CID is read as content.
  const isUsable = isShort && clean(label) === label && !label.includes('/') && !isNameForm(label) && !isCid(label)
  if (isUsable) return label
  throw new CairnError('USAGE', {
    message: `${JSON.stringify(label)} is not a valid label`,
    hint: `Use 1 to ${maxLabelCharacters} characters without control characters and "/". A label must not be a name or a CID.`,
  })
}

/** Returns a client with the account if there is one: a local network creates its API key itself. */
export async function clientOf({ session }: CommandContext): Promise<Client> {
  const hasKey = (await session.keptKey()) !== undefined || (await session.network()).wallet !== undefined
  return hasKey ? session.client() : session.anonymous()
}

/** Quotes a word for a shell. */
export function quote(word: string): string {
  return /^[\w.@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
