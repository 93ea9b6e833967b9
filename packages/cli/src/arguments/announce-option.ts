import { CairnError } from '@cairn/sdk'
import { type Options, text, type Values } from '../command.ts'

/**
 * Returns the option `--announce`; undefined if it is not given.
 * @throws CairnError USAGE
 */
export function readAnnounce(values: Values): boolean | undefined {
  const announce = text(values, 'announce')
  if (announce === undefined) return undefined
  if (announce === 'on' || announce === 'off') return announce === 'on'
  throw new CairnError('USAGE', { message: '--announce must be on or off' })
}

/** The option `--announce` of a command. @param about its line of help */
export function announceOption(about: string): Options[string] {
  return { type: 'string', about, value: 'on|off', choices: ['on', 'off'] }
}
