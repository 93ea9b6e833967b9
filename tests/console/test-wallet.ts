// A wallet for a page: announced by EIP-6963, called through EIP-1193, with its keys in this process.
import { randomUUID } from 'node:crypto'
import type { BrowserContext } from 'playwright'
import { createWalletClient, type Hex, http, isHex } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'

/** Actions of the wallet's owner: which account is shown, what is declined. */
export type TestWallet = {
  /** As it is announced. */
  name: string
  accounts: readonly PrivateKeyAccount[]
  /** Methods that pages requested, in order, including those that opened a wallet window. */
  requests: string[]
  /** From now on, several calls can be confirmed in one window (EIP-5792). */
  allowBatches(): void
  /** Declines the next request of this method, like its owner. */
  rejectNext(method: string): void
  /** Makes the wallet report the next request of this method as unsupported (EIP-1193). */
  lackNext(method: string): void
  /** Makes the wallet report another open window to the next request of this method (EIP-1474). */
  blockNext(method: string): void
  /** From now on, requests of this method meet a wallet that has lost its chain (EIP-1193). */
  disconnectFrom(method: string): void
  /** Makes the owner cancel the next transaction while it waits for a block. */
  cancelNext(): void
  /** Holds the next request of this method until the returned function is called. */
  holdNext(method: string): () => void
  /** Selects another account in the wallet and notifies pages. */
  choose(index: number): Promise<void>
  /** Switches the wallet to another chain by itself. */
  moveTo(chainId: number): Promise<void>
  /** Revokes the site's connection in the wallet. */
  leave(): Promise<void>
}

const icon = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#3b5bdb"/><path d="M8 12h16v10H8z" fill="#fff"/></svg>')}`

type Answer = { ok: true; value: unknown } | { ok: false; code: number; message: string }

class WalletError extends Error {
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** Gives the pages of a context a wallet with this many new accounts, or with these; with none, the browser has no wallet. */
export async function createTestWallet(
  context: BrowserContext,
  owned: number | readonly PrivateKeyAccount[],
  chain: { rpcUrl: string; chainId: number } | undefined,
  name = 'Test Wallet',
): Promise<TestWallet> {
  const bridge = `ask_${name.replace(/\W/g, '_')}`
  const accounts =
    typeof owned === 'number' ? Array.from({ length: owned }, () => privateKeyToAccount(generatePrivateKey())) : owned
  const requests: string[] = []
  const rejected = new Set<string>()
  const lacking = new Set<string>()
  const blocked = new Set<string>()
  const disconnected = new Set<string>()
  const held = new Map<string, Promise<void>>()
  /** The transaction to cancel: sent, known to its page, or undefined. */
  let cancelled: 'next' | 'sent' | 'known' | undefined
  /** Nonce of the transaction to cancel. */
  let cancelledNonce = 0
  const batches = new Map<string, Hex[]>()
  let canBatch = false
  let chosen = 0
  let isConnected = false
  let chainId = chain?.chainId ?? 1
  const account = (): PrivateKeyAccount => {
    const found = accounts[chosen]
    if (found === undefined) throw new WalletError(4100, 'no account')
    return found
  }
  const shown = () => (isConnected ? [account().address] : [])
  const emit = async (event: string, value: unknown) => {
    for (const page of context.pages()) {
      await page.evaluate(
        ([to, type, detail]) => dispatchEvent(new CustomEvent(to, { detail: { type, value: detail } })),
        [bridge, event, value] as const,
      )
    }
  }
  const send = (input: unknown, nonce?: number): Promise<Hex> => {
    if (chain === undefined || typeof input !== 'object' || input === null) throw new WalletError(-32602, 'params')
    const client = createWalletClient({ account: account(), transport: http(chain.rpcUrl) })
    const transaction = { ...toTransaction(input), chain: null }
    return client.sendTransaction(nonce === undefined ? transaction : { ...transaction, nonce })
  }
  const askChain = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    if (chain === undefined) throw new WalletError(4200, `${method} is not supported`)
    const response = await fetch(chain.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const body: { result?: unknown; error?: { code: number; message: string } } = await response.json()
    if (body.error !== undefined) throw new WalletError(body.error.code, body.error.message)
    return body.result
  }
  /** Sends one with the same nonce and a higher fee to the account itself, and the earlier transaction that both wait for. */
  const cancel = async (): Promise<void> => {
    const { address } = account()
    const client = createWalletClient({ account: account(), transport: http(chain?.rpcUrl) })
    const fees = { gas: 21_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 5n * 10n ** 10n }
    for (const nonce of [cancelledNonce, cancelledNonce - 1])
      await client.sendTransaction({ to: address, value: 0n, nonce, chain: null, ...fees })
  }
  const answer = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    requests.push(method)
    const pause = held.get(method)
    if (held.delete(method)) await pause
    if (lacking.delete(method)) throw new WalletError(4200, `${method} is not supported`)
    if (blocked.delete(method)) throw new WalletError(-32002, `Request of type '${method}' already pending`)
    if (rejected.delete(method)) throw new WalletError(4001, 'User rejected the request.')
    if (disconnected.has(method)) throw new WalletError(4900, 'The wallet is disconnected')
    // The page looks for the other transaction only after it has seen the first.
    if (method === 'eth_getTransactionByHash' && cancelled === 'sent') cancelled = 'known'
    else if (method === 'eth_getTransactionReceipt' && cancelled === 'known') {
      cancelled = undefined
      await cancel()
    }
    switch (method) {
      case 'wallet_requestPermissions':
        isConnected = true
        return [{ parentCapability: 'eth_accounts', caveats: [{ type: 'restrictReturnedAccounts', value: shown() }] }]
      case 'wallet_revokePermissions':
        isConnected = false
        return null
      case 'eth_requestAccounts':
        isConnected = true
        return shown()
      case 'eth_accounts':
        return shown()
      case 'eth_chainId':
        return `0x${chainId.toString(16)}`
      case 'wallet_switchEthereumChain': {
        const [input] = params
        if (typeof input !== 'object' || input === null || !('chainId' in input))
          throw new WalletError(-32602, 'params')
        if (Number(input.chainId) !== chain?.chainId) throw new WalletError(4902, 'Unrecognized chain')
        chainId = Number(input.chainId)
        await emit('chainChanged', input.chainId)
        return null
      }
      case 'personal_sign': {
        const [message, address] = params
        if (!isHex(message)) throw new WalletError(-32602, 'params')
        const named = accounts.find((one) => one.address.toLowerCase() === String(address).toLowerCase())
        return (named ?? account()).signMessage({ message: { raw: message } })
      }
      case 'eth_sendTransaction':
        if (cancelled === 'next') {
          cancelled = 'sent'
          // It waits for an earlier transaction, however fast the chain makes blocks.
          cancelledNonce = Number(await askChain('eth_getTransactionCount', [account().address, 'latest'])) + 1
          return send(params[0], cancelledNonce)
        }
        return send(params[0])
      case 'wallet_getCapabilities':
        if (!canBatch) throw new WalletError(4200, `${method} is not supported`)
        return { [`0x${chainId.toString(16)}`]: { atomic: { status: 'supported' } } }
      case 'wallet_sendCalls': {
        const [input] = params
        if (!canBatch) throw new WalletError(4200, `${method} is not supported`)
        if (typeof input !== 'object' || input === null || !('calls' in input)) throw new WalletError(-32602, 'params')
        const hashes: Hex[] = []
        for (const one of Array.isArray(input.calls) ? input.calls : []) hashes.push(await send(one))
        const id = `0x${(batches.size + 1).toString(16)}`
        batches.set(id, hashes)
        return { id }
      }
      case 'wallet_getCallsStatus': {
        const id = String(params[0])
        const found = (batches.get(id) ?? []).map((hash) => askChain('eth_getTransactionReceipt', [hash]))
        const receipts = await Promise.all(found)
        const status = receipts.includes(null) ? 100 : 200
        const about = { version: '2.0.0', id, chainId: `0x${chainId.toString(16)}`, atomic: true, status }
        return status === 100 ? about : { ...about, receipts }
      }
      default:
        if (!method.startsWith('eth_')) throw new WalletError(4200, `${method} is not supported`)
        return askChain(method, params)
    }
  }
  if (accounts.length > 0) {
    // Errors lose their code on the way to the page, so they are sent as values.
    await context.exposeFunction(bridge, async (method: string, params: unknown): Promise<Answer> => {
      try {
        return { ok: true, value: await answer(method, Array.isArray(params) ? params : []) }
      } catch (error) {
        const code = error instanceof WalletError ? error.code : -32603
        return { ok: false, code, message: error instanceof Error ? error.message : String(error) }
      }
    })
    await context.addInitScript(announce, { name, icon, bridge, uuid: randomUUID() })
  }
  return {
    name,
    accounts,
    requests,
    allowBatches: () => {
      canBatch = true
    },
    rejectNext: (method) => void rejected.add(method),
    lackNext: (method) => void lacking.add(method),
    blockNext: (method) => void blocked.add(method),
    disconnectFrom: (method) => void disconnected.add(method),
    cancelNext: () => {
      cancelled = 'next'
    },
    holdNext: (method) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      held.set(method, promise)
      return resolve
    },
    choose: async (index) => {
      chosen = index
      await emit('accountsChanged', shown())
    },
    moveTo: async (next) => {
      chainId = next
      await emit('chainChanged', `0x${next.toString(16)}`)
    },
    leave: async () => {
      isConnected = false
      await emit('accountsChanged', [])
      await emit('disconnect', { code: 4900, message: 'disconnected' })
    },
  }
}

function toTransaction(input: object): { to?: Hex; data?: Hex; value?: bigint } {
  const hex = (field: string): Hex | undefined => {
    const value: unknown = Reflect.get(input, field)
    return isHex(value) ? value : undefined
  }
  const [to, data, value] = [hex('to'), hex('data'), hex('value')]
  return {
    ...(to === undefined ? {} : { to }),
    ...(data === undefined ? {} : { data }),
    ...(value === undefined ? {} : { value: BigInt(value) }),
  }
}

/** Runs in the page, before its own scripts. */
function announce({ bridge, ...about }: { name: string; icon: string; bridge: string; uuid: string }): void {
  const listeners = new Map<string, Set<(value: unknown) => void>>()
  const provider = {
    request: async ({ method, params }: { method: string; params?: unknown }) => {
      const ask: (method: string, params: unknown) => Promise<Answer> = Reflect.get(window, bridge)
      const told = await ask(method, params ?? [])
      if (told.ok) return told.value
      throw Object.assign(new Error(told.message), { code: told.code })
    },
    on: (event: string, listener: (value: unknown) => void) => {
      const known = listeners.get(event) ?? new Set()
      listeners.set(event, known.add(listener))
    },
    removeListener: (event: string, listener: (value: unknown) => void) => void listeners.get(event)?.delete(listener),
  }
  addEventListener(bridge, (event) => {
    if (!(event instanceof CustomEvent)) return
    for (const listener of listeners.get(event.detail.type) ?? []) listener(event.detail.value)
  })
  const info = Object.freeze({ ...about, rdns: `test.${bridge}` })
  const tell = () =>
    dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: Object.freeze({ info, provider }) }))
  addEventListener('eip6963:requestProvider', tell)
  tell()
}
