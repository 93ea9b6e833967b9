import { CairnError, isContentPath, resolveName } from '@cairn/sdk'
import type { CommandContext } from './command.ts'
import { findName } from './names/find-name.ts'

/**
 * Returns the content path of a gateway address, such as `cairn upload` prints, so that its content is read and verified from the
 * network in use. Returns any other text unchanged.
 * @throws CairnError INVALID_CID for another address, INVALID_PATH
 */
export function readContentArgument(argument: string): string {
  if (!/^https?:\/\//i.test(argument)) return argument
  const { hostname, pathname } = URL.canParse(argument) ? new URL(argument) : { hostname: '', pathname: '' }
  const [, root, kind] = /^([^.]+)\.(ipfs|ipns)\./.exec(hostname) ?? []
  const path = root === undefined ? pathname : `/${kind}/${root}${pathname}`
  if (!/^\/ip[fn]s\/./.test(path))
    throw new CairnError('INVALID_CID', {
      message: `${argument} is not the address of content on a gateway`,
      hint: 'Use a CID, or an address such as https://…/ipfs/<cid>. To open a share link, run cairn link open.',
    })
  try {
    return decodeURIComponent(path)
  } catch (cause) {
    throw new CairnError('INVALID_PATH', { message: `${argument} is not a valid address`, cause })
  }
}

/** Names in places where a CID is also valid; `Qm…` is a CID there. */
const namePath = /^(?:\/ipns\/|ipns:\/\/|k51[0-9a-z]{40}|k2k4[0-9a-z]{40}|bafz[a-z2-7]{40}|12D3Koo)/

/**
 * Returns the name and path of an argument; undefined for a CID. A label is one of the user's own names.
 * @throws CairnError NAME_NOT_FOUND, INVALID_CID, USAGE if several names have the label
 */
export async function findNamePath(context: CommandContext, argument: string): Promise<string | undefined> {
  if (namePath.test(argument)) return argument
  if (/^(?:\/|ipfs:\/\/)/.test(argument) || isContentPath(argument)) return undefined
  const slash = argument.indexOf('/')
  const label = slash < 0 ? argument : argument.slice(0, slash)
  const { name } = await findName(context, label).catch((error: unknown) => {
    const isUnknown = CairnError.is(error, 'NAME_NOT_FOUND') || CairnError.is(error, 'NO_API_KEY')
    if (!isUnknown) throw error
    throw new CairnError(error.code === 'NO_API_KEY' ? 'INVALID_CID' : 'NAME_NOT_FOUND', {
      message: `${JSON.stringify(label)} is neither a CID nor the label of one of your names`,
      hint: 'Run cairn name list to list your names, or cairn ls to list your uploads.',
      cause: error,
    })
  })
  return `/ipns/${name}${argument.slice(label.length)}`
}

/** Returns the CID and path of an argument. Resolves names and verifies their records. */
export async function findContent(context: CommandContext, given: string): Promise<string> {
  const { session, output, signal } = context
  const argument = readContentArgument(given)
  const name = await findNamePath(context, argument)
  if (name === undefined) return argument.replace(/^ipfs:\/\//, '')
  const { value } = await resolveName(await session.anonymous(), name, { signal })
  output.note(`Verified: the name points to ${value}`)
  return value.slice('/ipfs/'.length)
}
