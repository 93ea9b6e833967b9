import { revokeAccess, shareFile } from '@cairn/sdk'
import type { Command } from '../command.ts'
import { openKeyClient } from '../key-client.ts'
import { showChange } from '../show-change.ts'

export const share: Command = {
  name: 'share',
  summary: 'Let addresses decrypt a file',
  usage: '<cid> <address…>',
  arity: [2, 101],
  examples: ['cairn share bafy… 0x7099…'],
  async run(surroundings) {
    const { args, output, signal } = surroundings
    const [cid = '', ...addresses] = args
    const change = await shareFile(await openKeyClient(surroundings), cid, addresses, { signal })
    showChange(output, { cid, sharedTo: addresses }, `Shared ${cid} with ${addresses.join(', ')}.`, change)
  },
}

export const unshare: Command = {
  name: 'unshare',
  aliases: ['revoke'],
  summary: 'Take the right to decrypt from addresses',
  usage: '<cid> <address…>',
  arity: [2, 101],
  examples: ['cairn unshare bafy… 0x7099…'],
  async run(surroundings) {
    const { args, output, signal } = surroundings
    const [cid = '', ...addresses] = args
    const change = await revokeAccess(await openKeyClient(surroundings), cid, addresses, { signal })
    showChange(output, { cid, revokedFrom: addresses }, `Revoked ${addresses.join(', ')} from ${cid}.`, change)
    output.note('Who had the key may have kept it: `cairn keys rotate` encrypts the file anew.')
  },
}
