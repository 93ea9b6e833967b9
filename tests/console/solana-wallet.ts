// A Solana wallet for a page: it announces itself by the Wallet Standard, and its keys stay in this process.
import { randomBytes } from 'node:crypto'
import { signSolana, solanaAddress } from '@cairn/crypto'
import type { BrowserContext } from 'playwright'
import { readBase58 } from './base58.ts'

/** What the wallet's owner does. */
export type TestSolanaWallet = {
  name: string
  addresses: readonly string[]
  /** Requests of pages, in order; `connect (silent)` opens no window. */
  requests: string[]
  /** Signed texts. */
  texts: string[]
  /** Declines the next request of this name, like its owner. */
  rejectNext(request: 'connect' | 'signMessage'): void
  /** From now on, signs an envelope around the text, as some devices do. */
  wrapTexts(): void
  /** Selects another account in the wallet and notifies pages. */
  choose(index: number): Promise<void>
  /** Revokes the site's connection in the wallet. */
  leave(): Promise<void>
  /** Signs a text as the account of this index. */
  sign(index: number, text: string): string
}

const icon = `data:image/svg+xml;base64,${Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#6741d9"/><path d="M8 12h16v10H8z" fill="#fff"/></svg>').toString('base64')}`

type Account = { address: string; publicKey: number[] }
type Answer = { accounts?: Account[]; signed?: { text: number[]; signature: number[] }; rejection?: string }

/** Gives the pages of a context a Solana wallet with this many new accounts. Call it before a page is opened. */
export async function createSolanaWallet(
  context: BrowserContext,
  { name = 'Test Sol', count = 1 }: { name?: string; count?: number } = {},
): Promise<TestSolanaWallet> {
  const keys = Array.from({ length: count }, () => randomBytes(32).toString('hex'))
  const addresses = keys.map(solanaAddress)
  const requests: string[] = []
  const texts: string[] = []
  const rejected = new Set<string>()
  let chosen = 0
  let isConnected = false
  let isWrapping = false
  const shown = (): Account[] => (isConnected ? [describe(addresses[chosen] ?? '')] : [])
  const sign = (index: number, text: string) => signSolana(keys[index] ?? '', text)
  const answer = (request: string, text: string): Answer => {
    requests.push(request)
    if (rejected.delete(request)) return { rejection: 'User rejected the request.' }
    switch (request) {
      case 'connect':
        isConnected = true
        return { accounts: shown() }
      case 'connect (silent)':
        return { accounts: shown() }
      case 'disconnect':
        isConnected = false
        return {}
      case 'signMessage': {
        const written = isWrapping ? `\u00ffsolana offchain${text}` : text
        texts.push(written)
        const signature = readBase58(sign(chosen, written), 64)
        return { signed: { text: [...new TextEncoder().encode(written)], signature: [...signature] } }
      }
      default:
        return { rejection: `no such request: ${request}` }
    }
  }
  const bridge = `ask_${name.replace(/\W/g, '_')}`
  await context.exposeFunction(bridge, answer)
  await context.addInitScript(announce, { name, icon, bridge })
  const tell = async () => {
    for (const page of context.pages()) {
      await page.evaluate(([type, accounts]) => dispatchEvent(new CustomEvent(type, { detail: accounts })), [
        bridge,
        shown(),
      ] as const)
    }
  }
  return {
    name,
    addresses,
    requests,
    texts,
    rejectNext: (request) => void rejected.add(request),
    wrapTexts: () => {
      isWrapping = true
    },
    choose: async (index) => {
      chosen = index
      await tell()
    },
    leave: async () => {
      isConnected = false
      await tell()
    },
    sign,
  }
}

function describe(address: string): Account {
  return { address, publicKey: [...readBase58(address, 32)] }
}

/** Runs in the page, before its own scripts. @see https://github.com/wallet-standard/wallet-standard */
function announce({ name, icon, bridge }: { name: string; icon: string; bridge: string }): void {
  const chains = ['solana:mainnet']
  const ask = async (request: string, text = ''): Promise<Answer> => {
    const told: Answer = await Reflect.get(window, bridge)(request, text)
    if (told.rejection !== undefined) throw new Error(told.rejection)
    return told
  }
  const toAccounts = (accounts: Account[] = []) =>
    accounts.map(({ address, publicKey }) => ({
      address,
      publicKey: new Uint8Array(publicKey),
      chains,
      features: ['solana:signMessage'],
    }))
  let accounts: unknown[] = []
  const listeners = new Set<(change: unknown) => void>()
  addEventListener(bridge, (event) => {
    if (!(event instanceof CustomEvent)) return
    accounts = toAccounts(event.detail)
    for (const listener of listeners) listener({ accounts })
  })
  const wallet = {
    version: '1.0.0',
    name,
    icon,
    chains,
    get accounts() {
      return accounts
    },
    features: {
      'standard:connect': {
        version: '1.0.0',
        connect: async ({ silent = false } = {}) => {
          accounts = toAccounts((await ask(silent ? 'connect (silent)' : 'connect')).accounts)
          return { accounts }
        },
      },
      'standard:disconnect': {
        version: '1.0.0',
        disconnect: async () => {
          await ask('disconnect')
          accounts = []
        },
      },
      'standard:events': {
        version: '1.0.0',
        on: (_event: string, listener: (change: unknown) => void) => {
          listeners.add(listener)
          return () => listeners.delete(listener)
        },
      },
      'solana:signMessage': {
        version: '1.1.0',
        signMessage: async ({ message }: { message: Uint8Array }) => {
          const { signed } = await ask('signMessage', new TextDecoder().decode(message))
          return [
            {
              signedMessage: new Uint8Array(signed?.text ?? []),
              signature: new Uint8Array(signed?.signature ?? []),
              signatureType: 'ed25519',
            },
          ]
        },
      },
    },
  }
  const register = (event: Event) => {
    const api: unknown = Reflect.get(event, 'detail')
    if (typeof api === 'object' && api !== null) Reflect.get(api, 'register')(wallet)
  }
  addEventListener('wallet-standard:app-ready', register)
  dispatchEvent(
    new CustomEvent('wallet-standard:register-wallet', {
      detail: (api: { register(wallet: unknown): void }) => api.register(wallet),
    }),
  )
}
