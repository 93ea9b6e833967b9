import type { Command } from './command.ts'
import { access, transfer } from './commands/access.ts'
import { apiKey } from './commands/api-key.ts'
import { balance } from './commands/balance.ts'
import { cat } from './commands/cat.ts'
import { cid } from './commands/cid.ts'
import { conditions } from './commands/conditions.ts'
import { drive } from './commands/drive.ts'
import { events } from './commands/events.ts'
import { exportCommand } from './commands/export.ts'
import { folder } from './commands/folder.ts'
import { gatewayLink } from './commands/gateway-link.ts'
import { get } from './commands/get.ts'
import { importCommand } from './commands/import.ts'
import { info } from './commands/info.ts'
import { keys } from './commands/keys.ts'
import { link } from './commands/link.ts'
import { ls } from './commands/ls.ts'
import { mcp } from './commands/mcp.ts'
import { name } from './commands/name.ts'
import { network } from './commands/network.ts'
import { faucet, pay, payments, price } from './commands/pay.ts'
import { pin } from './commands/pin.ts'
import { quote } from './commands/quote.ts'
import { rename } from './commands/rename.ts'
import { rm } from './commands/rm.ts'
import { s3 } from './commands/s3.ts'
import { share, unshare } from './commands/share.ts'
import { status } from './commands/status.ts'
import { upload } from './commands/upload.ts'
import { uploadLink } from './commands/upload-link.ts'
import { checks, copies, deals, verify } from './commands/verify.ts'
import { wallet } from './commands/wallet.ts'
import { watch } from './commands/watch.ts'
import { webhook } from './commands/webhook.ts'
import { completionScript } from './completion.ts'
import { globalOptions } from './help.ts'

const completion: Command = {
  name: 'completion',
  summary: 'Print a shell completion script',
  usage: '<bash|zsh|fish>',
  arity: [1, 1],
  words: ['bash', 'zsh', 'fish'],
  examples: ['eval "$(cairn completion bash)"'],
  async run({ args, output }) {
    const script = completionScript(args[0] ?? '', commands, globalOptions)
    output.result({ script }, script.split('\n'))
  },
}

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  upload,
  get,
  cat,
  ls,
  info,
  cid,
  verify,
  deals,
  checks,
  rm,
  rename,
  folder,
  drive,
  pin,
  name,
  share,
  unshare,
  link,
  gatewayLink,
  uploadLink,
  access,
  transfer,
  conditions,
  keys,
  exportCommand,
  importCommand,
  quote,
  price,
  pay,
  payments,
  faucet,
  balance,
  copies,
  status,
  network,
  watch,
  events,
  webhook,
  wallet,
  apiKey,
  s3,
  mcp,
  completion,
]
