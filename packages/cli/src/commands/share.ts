import { getKeyStatus, normalizeAddress, revokeAccess, shareFile } from '@cairn/sdk'
import type { Command } from '../command.ts'
import { openKeyClient } from '../key-client.ts'
import { readAddresses } from '../read-addresses.ts'
import { showChange } from '../show-change.ts'

export const share: Command = {
  name: 'share',
  summary: 'Share a file with addresses',
  usage: '<cid> <address…>',
  arity: [2, 101],
  examples: ['cairn share bafy… 0x7099…'],
  async run(context) {
    const { args, output, signal } = context
    const [cid = '', ...given] = args
    const addresses = readAddresses(given)
    const change = await shareFile(await openKeyClient(context), cid, addresses, { signal })
    showChange(output, { cid, sharedTo: addresses }, `Shared ${cid} with ${addresses.join(', ')}.`, change)
  },
}

export const unshare: Command = {
  name: 'unshare',
  aliases: ['revoke'],
  summary: 'Stop sharing a file with addresses',
  usage: '<cid> <address…>',
  arity: [2, 101],
  examples: ['cairn unshare bafy… 0x7099…'],
  async run(context) {
    const { args, output, signal } = context
    const [cid = '', ...given] = args
    const addresses = readAddresses(given)
    const client = await openKeyClient(context)
    const { agreed } = await getKeyStatus(client, cid, { signal })
    const shared = agreed?.sharedTo.map(normalizeAddress)
    const notShared = addresses.filter((address) => shared?.includes(normalizeAddress(address)) === false)
    const revokedFrom = addresses.filter((address) => !notShared.includes(address))
    // Also of addresses without access: a node that missed a change may still have them.
    const change = await revokeAccess(client, cid, addresses, { signal })
    const sentences = [
      ...(revokedFrom.length === 0 ? [] : [`Revoked the access of ${revokedFrom.join(', ')} to ${cid}.`]),
      ...(notShared.length === 0 ? [] : [`${cid} was not shared with ${notShared.join(', ')}.`]),
    ]
    showChange(output, { cid, revokedFrom, notShared }, sentences.join(' '), change)
    const rest = shared?.filter((address) => !addresses.some((one) => normalizeAddress(one) === address)) ?? []
    if (notShared.length > 0) output.note(`It is still shared with ${rest.length === 0 ? 'no one' : rest.join(', ')}.`)
    if (agreed?.hasConditions === true)
      output.note(`Addresses that meet its conditions can still decrypt it: cairn conditions show ${cid}`)
    if (revokedFrom.length > 0)
      output.note('These addresses may have kept the key. Run `cairn keys rotate` to encrypt the file with a new key.')
  },
}
