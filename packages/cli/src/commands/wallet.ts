import { readFile } from 'node:fs/promises'
import {
  CairnError,
  createWallet,
  decryptKeystore,
  encryptKeystore,
  signMessage,
  type Wallet,
  walletFromPrivateKey,
} from '@cairn/sdk'
import { type Actions, actionCommand } from '../action-command.ts'
import { type CommandContext, flag } from '../command.ts'
import { openWallet } from '../keys/open-wallet.ts'
import { writePrivateFile } from '../state/write-private-file.ts'

async function store(context: CommandContext, wallet: Wallet): Promise<void> {
  const { state, prompt, output, values } = context
  if ((await state.readWallet()) !== undefined && !flag(values, 'force')) {
    throw new CairnError('FILE_EXISTS', {
      message: 'A wallet already exists',
      hint: 'Export it first, then use --force to replace it.',
    })
  }
  const password = await prompt.password('Choose a password for your wallet', { twice: true })
  await state.writeWallet(await encryptKeystore(wallet.privateKey, password))
  await nameOthers(context, wallet.address.toLowerCase())
  output.result({ address: wallet.address }, [`Wallet ${wallet.address}`, `stored in ${state.folder}`], wallet.address)
}

/** Names the API keys that do not belong to the wallet, and those that may not. */
async function nameOthers({ state, output }: CommandContext, own: string): Promise<void> {
  for (const [api, { address }] of Object.entries(await state.readKeys())) {
    if (address === own) continue
    output.note(
      address === undefined
        ? `The API key imported for ${api} stays in use, even if it belongs to another account. To remove it: cairn api-key clear`
        : `The API key for ${api} belongs to ${address} and is no longer used. To create one for this wallet: cairn api-key new`,
    )
  }
}

async function importWallet(context: CommandContext): Promise<void> {
  const { args, prompt } = context
  const path = args[1]
  if (path === undefined) return store(context, walletFromPrivateKey((await prompt.secret('Private key')).trim()))
  const content = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}`, cause })
  })
  // A keystore of ethers or geth, or a file with only the key.
  if (!content.trimStart().startsWith('{')) return store(context, walletFromPrivateKey(content.trim()))
  return store(context, await decryptKeystore(content, await prompt.password('Password of the file')))
}

async function show({ state, output }: CommandContext): Promise<void> {
  const address = await state.readAddress()
  if (address === undefined) throw new CairnError('NO_WALLET')
  output.result({ address }, address)
}

async function exportWallet({ args, state, output }: CommandContext): Promise<void> {
  const keystore = await state.readWallet()
  if (keystore === undefined) throw new CairnError('NO_WALLET')
  // A damaged file is no backup.
  await state.readAddress()
  const path = args[1]
  if (path === undefined) {
    output.result(JSON.parse(keystore), keystore.trim().split('\n'))
    return
  }
  await writePrivateFile(path, keystore)
  output.result({ path }, `Keystore written to ${path}. Your password opens it in cairn, ethers and geth.`, path)
}

async function sign(context: CommandContext): Promise<void> {
  const message = context.args[1]
  if (message === undefined) throw new CairnError('USAGE', { message: 'wallet sign requires a message' })
  const wallet = await openWallet(context)
  const signature = signMessage(wallet.privateKey, message)
  context.output.result({ address: wallet.address, signature }, signature)
}

async function changePassword(context: CommandContext): Promise<void> {
  const { state, prompt, output } = context
  const wallet = await openWallet(context)
  await state.writeWallet(
    // Never from CAIRN_PASSWORD_FILE, which contains the old password.
    await encryptKeystore(wallet.privateKey, await prompt.secret('New password', { twice: true })),
  )
  output.result({ address: wallet.address }, 'The password was changed.', wallet.address)
}

async function remove({ state, output, prompt, values }: CommandContext): Promise<void> {
  if (
    !flag(values, 'yes') &&
    !(await prompt.confirm('Remove the wallet? Without an export, it cannot be recovered.'))
  ) {
    output.note('The wallet was not removed.')
    throw new CairnError('ABORTED')
  }
  if (!(await state.clearWallet())) throw new CairnError('NO_WALLET')
  output.result({ removed: true }, 'The wallet was removed from this machine.')
}

const actions: Actions = {
  create: (context) => store(context, createWallet()),
  import: importWallet,
  show,
  export: exportWallet,
  sign,
  password: changePassword,
  remove,
}

export const wallet = actionCommand(actions, {
  name: 'wallet',
  summary: 'Create, import, show, export or remove the wallet, and sign with it',
  usage: '[file or message]',
  arity: [1, 2],
  maxArguments: { create: 1, show: 1, password: 1, remove: 1 },
  options: {
    force: { type: 'boolean', actions: ['create', 'import'], about: 'replace an existing wallet' },
    yes: { type: 'boolean', short: 'y', about: 'skip the confirmation' },
  },
  examples: ['cairn wallet create', 'cairn wallet import keystore.json', 'cairn wallet sign "hello"'],
})
