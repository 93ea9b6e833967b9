import { type ChangeResult, getConditions, listedConditions, shareFile } from '@cairn/sdk'
import * as v from 'valibot'
import { readAddresses } from '../arguments/read-addresses.ts'
import { revokeShares } from '../keys/revoke-shares.ts'
import { showPending } from '../keys/show-change.ts'
import * as inputs from './inputs.ts'
import { defineTool, type Tool, type ToolResult } from './tool.ts'

const input = v.strictObject({ cid: inputs.cid, addresses: inputs.addresses })

function describe(cid: string, addresses: string[], sentence: string, change: ChangeResult): ToolResult {
  const pending = change.pending.map(({ node, error }) => ({ node, code: error.code }))
  const { done, isEffective, withstands } = change
  return {
    data: { cid, addresses, done, pending, isEffective, withstands },
    text: pending.length === 0 ? sentence : `${sentence} ${showPending(pending, withstands)}`,
  }
}

const share = defineTool({
  name: 'share_file',
  title: 'Share an encrypted file',
  description: 'Lets wallet addresses decrypt an encrypted file that you own.',
  effect: 'adds',
  isIdempotent: true,
  input,
  async run({ cid, addresses: given }, { clients, signal }) {
    const addresses = readAddresses(given)
    const change = await shareFile(await clients.keys(signal), cid, addresses, { signal })
    return describe(cid, addresses, `Shared ${cid} with ${addresses.join(', ')}.`, change)
  },
})

const revoke = defineTool({
  name: 'revoke_access',
  title: 'Revoke access to an encrypted file',
  description:
    'Stops sharing an encrypted file with wallet addresses. Readers who opened it earlier may have kept the key: `cairn keys rotate` encrypts the file with a new one.',
  effect: 'replaces',
  isIdempotent: true,
  input,
  async run({ cid, addresses: given }, { clients, signal }) {
    const addresses = readAddresses(given)
    const client = await clients.keys(signal)
    const { change, revokedFrom, notShared, sentence, notes } = await revokeShares(client, cid, addresses, signal)
    const { data, text } = describe(cid, addresses, sentence, change)
    return { data: { ...data, revokedFrom, notShared }, text: [text, ...notes].join(' ') }
  },
})

const list = defineTool({
  name: 'list_access',
  title: 'Show who can decrypt a file',
  description: 'Returns the owner of an encrypted file, the addresses it is shared with, and its access conditions.',
  effect: 'reads',
  input: v.strictObject({ cid: inputs.cid }),
  async run({ cid }, { clients, signal }) {
    const found = await getConditions(await clients.keys(signal), cid, { signal })
    const { owner, sharedTo } = found
    const conditions = listedConditions(found).conditions
    return {
      data: { cid, owner, sharedTo, conditions, aggregator: found.aggregator },
      text: [
        `Owner: ${owner}`,
        `Shared with: ${sharedTo.length === 0 ? 'no other address' : sharedTo.join(', ')}`,
        `Conditions: ${conditions.length}`,
      ].join('\n'),
    }
  },
})

/** Tools for the access to encrypted files. */
export const accessTools: readonly Tool[] = [list, share, revoke]
