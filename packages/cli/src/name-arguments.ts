import { CairnError, type Client } from '@cairn/sdk'
import type { Surroundings } from './command.ts'
import { isNameForm } from './find-name.ts'
import { clean } from './output.ts'

const labelCharactersMost = 100

/** An argument that must be there. @throws CairnError USAGE */
export function argument({ args }: Surroundings, index: number, what: string): string {
  const value = args[index]?.trim() ?? ''
  if (value === '') {
    throw new CairnError('USAGE', { message: `name ${args[0]} needs ${what}`, hint: 'See cairn name --help.' })
  }
  return value
}

/** A label, where one is given. @throws CairnError USAGE */
export function readLabel({ args }: Surroundings, index: number): string | undefined {
  const label = args[index]?.trim()
  if (label === undefined) return undefined
  const isUsable = label !== '' && label.length <= labelCharactersMost && clean(label) === label && !isNameForm(label)
  if (isUsable) return label
  throw new CairnError('USAGE', {
    message: `${JSON.stringify(label)} cannot be a label`,
    hint: `A label has 1 to ${labelCharactersMost} characters, no control characters, and looks like no name.`,
  })
}

/** With the account where there is one: a local network makes its key by itself. */
export async function clientOf({ session }: Surroundings): Promise<Client> {
  const hasKey = (await session.keptKey()) !== undefined || (await session.network()).wallet !== undefined
  return hasKey ? session.client() : session.anonymous()
}

/** A word as a shell takes it. */
export function quote(word: string): string {
  return /^[\w.@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
