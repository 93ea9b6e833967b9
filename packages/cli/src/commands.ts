import type { Command } from './command.ts'
import { balance, quote, status } from './commands/account.ts'
import { apiKey } from './commands/api-key.ts'
import { cat } from './commands/cat.ts'
import { info, pin, rename, rm } from './commands/files.ts'
import { get } from './commands/get.ts'
import { ls } from './commands/ls.ts'
import { upload } from './commands/upload.ts'
import { wallet } from './commands/wallet.ts'
import { completionScript } from './completion.ts'
import { globalOptions } from './help.ts'

const completion: Command = {
  name: 'completion',
  summary: 'Print the completion script of a shell',
  usage: '<bash|zsh|fish>',
  arity: [1, 1],
  words: ['bash', 'zsh', 'fish'],
  examples: ['eval "$(cairn completion bash)"'],
  async run({ args, output }) {
    const script = completionScript(args[0] ?? '', commands, Object.keys(globalOptions))
    output.result({ script }, script)
  },
}

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  upload,
  get,
  cat,
  ls,
  info,
  rm,
  rename,
  pin,
  quote,
  balance,
  status,
  wallet,
  apiKey,
  completion,
]
