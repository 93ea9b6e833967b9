import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { CairnError, type ConditionsInput } from '@cairn/sdk'
import { readText } from '../terminal/read-text.ts'

const maxBytes = 64 * 1024

/**
 * Reads conditions from a file, or from standard input for `-`: an object, or only a list of conditions.
 * @throws CairnError FILE_UNREADABLE, INVALID_CONDITION, PAYLOAD_TOO_LARGE
 */
export async function readConditionsFile(path: string, stdin: Readable): Promise<ConditionsInput> {
  const source = path === '-' ? 'Standard input' : path
  let text: string
  try {
    text = path === '-' ? await readText(stdin, maxBytes, tooLong) : await readFile(path, 'utf8')
  } catch (cause) {
    // More than the limit, or standard input that is a folder.
    if (CairnError.is(cause)) throw cause
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path === '-' ? 'standard input' : path}`, cause })
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new CairnError('INVALID_CONDITION', { message: `Condition validation error: ${source} is not JSON`, cause })
  }
  if (Array.isArray(json)) return { conditions: json }
  if (typeof json !== 'object' || json === null || !('conditions' in json) || !Array.isArray(json.conditions)) {
    throw new CairnError('INVALID_CONDITION', {
      message: `Condition validation error: ${source} has no list of conditions`,
      hint: 'See `cairn conditions template` for examples.',
    })
  }
  const read = (name: string) => {
    const value: unknown = Reflect.get(json, name)
    return typeof value === 'string' ? { [name]: value } : {}
  }
  const isOwnerless = Reflect.get(json, 'isOwnerless') === true
  return {
    conditions: json.conditions,
    ...read('aggregator'),
    ...read('chainType'),
    ...read('decryptionType'),
    isOwnerless,
  }
}

function tooLong(): CairnError {
  return new CairnError('PAYLOAD_TOO_LARGE', {
    message: 'Standard input is too long for a set of conditions',
    hint: 'Send a JSON document such as `cairn conditions template` prints.',
    details: { limitBytes: maxBytes },
  })
}
