import { CairnError } from '@cairn/sdk'

/**
 * Reads a whole number from 1 to `max`; undefined when it was not given.
 * @param name how the user wrote it, for the message
 * @throws CairnError USAGE
 */
export function readCount(value: string | undefined, name: string, max: number): number | undefined {
  if (value === undefined) return undefined
  const count = Number(value)
  if (Number.isInteger(count) && count >= 1 && count <= max) return count
  throw new CairnError('USAGE', { message: `${name} must be a whole number from 1 to ${max.toLocaleString('en')}` })
}
