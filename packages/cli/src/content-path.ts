import { resolveName } from '@cairn/sdk'
import type { Surroundings } from './command.ts'

/** Names as they stand where a CID may stand as well; `Qm…` is a CID there. */
const namePath = /^(?:\/ipns\/|ipns:\/\/|k51[0-9a-z]{40}|k2k4[0-9a-z]{40}|bafz[a-z2-7]{40}|12D3Koo)/

/** The CID and path that an argument means: names are resolved, and their records verified. */
export async function findContent({ session, output, signal }: Surroundings, argument: string): Promise<string> {
  if (!namePath.test(argument)) return argument
  const { value } = await resolveName(await session.anonymous(), argument, { signal })
  output.note(`Verified: the name leads to ${value}`)
  return value.slice('/ipfs/'.length)
}
