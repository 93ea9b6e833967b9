import { shareFile } from '@cairn/sdk'
import { readAddresses } from '../arguments/read-addresses.ts'
import type { Command } from '../command.ts'
import { openKeyClient } from '../keys/key-client.ts'
import { revokeShares } from '../keys/revoke-shares.ts'
import { showChange } from '../keys/show-change.ts'

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
    const { change, revokedFrom, notShared, sentence, notes } = await revokeShares(client, cid, addresses, signal)
    showChange(output, { cid, revokedFrom, notShared }, sentence, change)
    for (const note of notes) output.note(note)
  },
}
