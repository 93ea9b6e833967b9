import { CairnError, isContentPath, resolveName } from '@cairn/sdk'
import type { Surroundings } from './command.ts'
import { findName } from './find-name.ts'

/** Names as they stand where a CID may stand as well; `Qm…` is a CID there. */
const namePath = /^(?:\/ipns\/|ipns:\/\/|k51[0-9a-z]{40}|k2k4[0-9a-z]{40}|bafz[a-z2-7]{40}|12D3Koo)/

/**
 * The name, and the path below it, that an argument means; undefined for a CID. A label is one of the user's own names.
 * @throws CairnError NAME_NOT_FOUND, INVALID_CID, USAGE if several names have the label
 */
export async function findNamePath(surroundings: Surroundings, argument: string): Promise<string | undefined> {
  if (namePath.test(argument)) return argument
  if (/^(?:\/|ipfs:\/\/)/.test(argument) || isContentPath(argument)) return undefined
  const slash = argument.indexOf('/')
  const label = slash < 0 ? argument : argument.slice(0, slash)
  const { name } = await findName(surroundings, label).catch((error: unknown) => {
    const isUnknown = CairnError.is(error, 'NAME_NOT_FOUND') || CairnError.is(error, 'NO_API_KEY')
    if (!isUnknown) throw error
    throw new CairnError(error.code === 'NO_API_KEY' ? 'INVALID_CID' : 'NAME_NOT_FOUND', {
      message: `${JSON.stringify(label)} is neither a CID nor the label of one of your names`,
      hint: 'See cairn name list for your names, cairn ls for your uploads.',
      cause: error,
    })
  })
  return `/ipns/${name}${argument.slice(label.length)}`
}

/** The CID and path that an argument means: names are resolved, and their records verified. */
export async function findContent(surroundings: Surroundings, argument: string): Promise<string> {
  const { session, output, signal } = surroundings
  const name = await findNamePath(surroundings, argument)
  if (name === undefined) return argument.replace(/^ipfs:\/\//, '')
  const { value } = await resolveName(await session.anonymous(), name, { signal })
  output.note(`Verified: the name leads to ${value}`)
  return value.slice('/ipfs/'.length)
}
