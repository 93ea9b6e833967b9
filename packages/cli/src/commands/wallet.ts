import { readFile, writeFile } from 'node:fs/promises'
import {
  CairnError,
  createWallet,
  decryptKeystore,
  encryptKeystore,
  signMessage,
  type Wallet,
  walletFromPrivateKey,
} from '@cairn/sdk'
import { type Command, flag, pickAction, type Surroundings } from '../command.ts'

/** Opens the wallet with its password. @throws CairnError NO_WALLET, INVALID_KEYSTORE */
export async function openWallet({ state, prompt }: Pick<Surroundings, 'state' | 'prompt'>): Promise<Wallet> {
  const keystore = await state.readWallet()
  if (keystore === undefined) throw new CairnError('NO_WALLET')
  return decryptKeystore(keystore, await prompt.password('Password of your wallet'))
}

async function store(surroundings: Surroundings, wallet: Wallet): Promise<void> {
  const { state, prompt, output, values } = surroundings
  if ((await state.readWallet()) !== undefined && !flag(values, 'force')) {
    throw new CairnError('FILE_EXISTS', {
      message: 'There is a wallet already',
      hint: 'Export it first, then give --force to replace it.',
    })
  }
  const password = await prompt.password('Choose a password for your wallet', { twice: true })
  await state.writeWallet(await encryptKeystore(wallet.privateKey, password))
  await nameOthers(surroundings, wallet.address.toLowerCase())
  output.result({ address: wallet.address }, [`Wallet ${wallet.address}`, `kept in ${state.folder}`], wallet.address)
}

/** Names the API keys that do not go with the wallet, and those that may not. */
async function nameOthers({ state, output }: Surroundings, own: string): Promise<void> {
  for (const [api, { address }] of Object.entries(await state.readKeys())) {
    if (address === own) continue
    output.note(
      address === undefined
        ? `The API key imported for ${api} stays in use, whichever account it is for. To end that: cairn api-key forget`
        : `The API key for ${api} is of ${address} and is not used any more. Make one for this wallet: cairn api-key new`,
    )
  }
}

async function importWallet(surroundings: Surroundings): Promise<void> {
  const { args, prompt } = surroundings
  const path = args[1]
  if (path === undefined) return store(surroundings, walletFromPrivateKey((await prompt.secret('Private key')).trim()))
  const content = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new CairnError('FILE_UNREADABLE', { message: `Cannot read ${path}`, cause })
  })
  // A keystore of ethers or geth, or a file with nothing but the key.
  if (!content.trimStart().startsWith('{')) return store(surroundings, walletFromPrivateKey(content.trim()))
  return store(surroundings, await decryptKeystore(content, await prompt.password('Password of that file')))
}

async function show({ state, output }: Surroundings): Promise<void> {
  const address = await state.readAddress()
  if (address === undefined) throw new CairnError('NO_WALLET')
  output.result({ address }, address)
}

async function exportWallet({ args, state, output }: Surroundings): Promise<void> {
  const keystore = await state.readWallet()
  if (keystore === undefined) throw new CairnError('NO_WALLET')
  const path = args[1]
  if (path === undefined) {
    output.result(JSON.parse(keystore), keystore.trim().split('\n'))
    return
  }
  await writeFile(path, keystore, { mode: 0o600, flag: 'wx' }).catch((cause: unknown) => {
    throw new CairnError('FILE_EXISTS', { message: `${path} exists already or cannot be written`, cause })
  })
  output.result({ path }, `Keystore written to ${path}. It opens with your password in ethers, geth and here.`, path)
}

async function sign(surroundings: Surroundings): Promise<void> {
  const message = surroundings.args[1]
  if (message === undefined) throw new CairnError('USAGE', { message: 'wallet sign needs a message' })
  const wallet = await openWallet(surroundings)
  const signature = signMessage(wallet.privateKey, message)
  surroundings.output.result({ address: wallet.address, signature }, signature)
}

async function changePassword(surroundings: Surroundings): Promise<void> {
  const { state, prompt, output } = surroundings
  const wallet = await openWallet(surroundings)
  await state.writeWallet(
    // Never out of CAIRN_PASSWORD_FILE: that holds the old one.
    await encryptKeystore(wallet.privateKey, await prompt.secret('New password', { twice: true })),
  )
  output.result({ address: wallet.address }, 'The password was changed.', wallet.address)
}

async function forget({ state, output, prompt, values }: Surroundings): Promise<void> {
  if (!flag(values, 'yes') && !(await prompt.confirm('Forget the wallet? Without an export it is gone for ever.'))) {
    output.note('The wallet stays.')
    throw new CairnError('ABORTED')
  }
  if (!(await state.forgetWallet())) throw new CairnError('NO_WALLET')
  output.result({ forgotten: true }, 'The wallet was removed from this machine.')
}

const actions: Record<string, (surroundings: Surroundings) => Promise<void>> = {
  create: (surroundings) => store(surroundings, createWallet()),
  import: importWallet,
  show,
  export: exportWallet,
  sign,
  password: changePassword,
  forget,
}

export const wallet: Command = {
  name: 'wallet',
  summary: 'Make, import, show, export, use or forget the wallet',
  usage: `<${Object.keys(actions).join('|')}> [file or message]`,
  arity: [1, 2],
  words: Object.keys(actions),
  options: {
    force: { type: 'boolean', about: 'replace a wallet that is there' },
    yes: { type: 'boolean', short: 'y', about: 'do not ask' },
  },
  examples: ['cairn wallet create', 'cairn wallet import keystore.json', 'cairn wallet sign "hello"'],
  run: (surroundings) => pickAction('wallet', actions, surroundings.args[0])(surroundings),
}
