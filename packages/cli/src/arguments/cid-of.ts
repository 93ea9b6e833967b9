import { CairnError } from '@cairn/sdk'
import type { CommandContext } from '../command.ts'

/** Returns the CID after the verb of a command. @throws CairnError USAGE if it is missing */
export function cidOf({ args }: CommandContext): string {
  const cid = args[1]
  if (cid === undefined) throw new CairnError('USAGE', { message: 'A CID is required' })
  return cid
}
