import { CairnError, type NetworkProfile } from '@cairn/sdk'
import { messages } from '../messages/messages.ts'
import { asWorded } from '../messages/worded.ts'
import { toastError } from '../ui/toasts/toast-store.ts'
import { keepText, recallText } from './kept-text.ts'
import { showPairingUri } from './pairing-uri.ts'

// The client loads only when this wallet is chosen or connected.
const loadClient = () => import('./sign-client.ts')
type Client = Awaited<ReturnType<Awaited<ReturnType<typeof loadClient>>['SignClient']['init']>>
type Session = ReturnType<Client['session']['get']>
type Request = { method: string; params?: unknown }
type Listener = (value: unknown) => void

/** Stores the topic of the session, so that its existence is known without calling the relay. */
const storageName = 'cairn.wallet.remote'
/** Every wallet signs messages for an account of the main chain; the chains of the network are for payments. */
const mainChainId = 1
const walletMethods = ['personal_sign', 'eth_signTypedData_v4', 'eth_sendTransaction']
const chainTimeoutMs = 20_000
const relayTimeoutMs = 15_000

class RemoteWalletError extends Error {
  readonly code: number
  constructor(code: number, message: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
  }
}

/** A wallet on another device, reached by WalletConnect 2, as an EIP-1193 provider. @see https://specs.walletconnect.com/2.0 */
export function createRemoteWallet(
  network: NetworkProfile,
  { projectId, relayUrl }: NonNullable<NetworkProfile['walletConnect']>,
): object {
  const chains = network.chains ?? (network.chain === undefined ? [] : [network.chain])
  const listeners = new Map<string, Set<Listener>>()
  let opening: Promise<Client> | undefined
  let session: Session | undefined
  let chainId = chains[0]?.chainId ?? mainChainId

  const emit = (event: string, value: unknown) => {
    for (const listener of listeners.get(event) ?? []) listener(value)
  }
  const openClient = () => {
    opening ??= startClient({ projectId, relayUrl }, watchClient).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
  const adopt = (next: Session | undefined) => {
    session = next
    keepText(storageName, next?.topic)
    if (next === undefined || approvedChains(next).includes(chainId)) return
    chainId = approvedChains(next)[0] ?? chainId
  }
  const watchClient = (client: Client) => {
    const isOurs = (topic: string) => topic === session?.topic
    const end = ({ topic }: { topic: string }) => {
      if (!isOurs(topic)) return
      adopt(undefined)
      emit('accountsChanged', [])
    }
    client.on('session_delete', end)
    client.on('session_expire', end)
    client.on('session_update', ({ topic }) => {
      if (!isOurs(topic)) return
      adopt(client.session.get(topic))
      emit('accountsChanged', accountsOf(session))
    })
    client.on('session_event', ({ topic, params: { event } }) => {
      if (!isOurs(topic)) return
      if (event.name === 'accountsChanged' && Array.isArray(event.data)) {
        emit('accountsChanged', event.data.map(toAddress))
      } else if (event.name === 'chainChanged') changeChain(Number(event.data))
    })
  }
  const changeChain = (next: number) => {
    chainId = next
    emit('chainChanged', toHex(next))
  }
  /** Restores the session of an earlier page, if it is valid. */
  const recall = async (): Promise<Session | undefined> => {
    const topic = recallText(storageName)
    if (session !== undefined || topic === undefined) return session
    const client = await openClient()
    adopt(client.session.getAll().find((one) => one.topic === topic && one.expiry * 1000 > Date.now()))
    return session
  }
  const connect = async (): Promise<string[]> => {
    if ((await recall()) === undefined) {
      const client = await openClient()
      const wanted = [...new Set([...chains.map((chain) => chain.chainId), mainChainId])]
      const eip155 = {
        chains: wanted.map((id) => `eip155:${id}`),
        methods: walletMethods,
        events: ['accountsChanged', 'chainChanged'],
      }
      // The code may be that of an attempt that the user left.
      showPairingUri(undefined)
      const { uri, approval } = await withinTime(client.connect({ optionalNamespaces: { eip155 } }))
      const hide = showPairingUri(uri)
      try {
        adopt(await approval())
      } finally {
        hide()
      }
    }
    return accountsOf(session)
  }
  const disconnect = async () => {
    const topic = session?.topic
    adopt(undefined)
    if (topic === undefined) return null
    try {
      const client = await openClient()
      await client.disconnect({ topic, reason: { code: 6000, message: 'User disconnected.' } })
    } catch (error) {
      // wagmi ignores it: the page is disconnected, but the wallet does not know.
      toastError(messages.session.walletNotTold, error)
    }
    return null
  }
  const switchChain = (params: unknown) => {
    const [first]: unknown[] = Array.isArray(params) ? params : []
    const next = typeof first === 'object' && first !== null && 'chainId' in first ? Number(first.chainId) : Number.NaN
    if (session === undefined || !approvedChains(session).includes(next)) {
      throw new RemoteWalletError(4902, 'The wallet was not connected for this network')
    }
    changeChain(next)
    return null
  }
  const callWallet = async (request: Request): Promise<unknown> => {
    const now = await recall()
    if (now === undefined) throw new RemoteWalletError(4100, 'No wallet is connected')
    const client = await openClient()
    return client.request({
      topic: now.topic,
      chainId: `eip155:${chainId}`,
      request: { method: request.method, params: request.params ?? [] },
    })
  }
  const answer = async (request: Request): Promise<unknown> => {
    switch (request.method) {
      case 'eth_requestAccounts':
        return connect()
      case 'eth_accounts':
        return accountsOf(await recall())
      case 'eth_chainId':
        return toHex(chainId)
      case 'wallet_switchEthereumChain':
        return switchChain(request.params)
      case 'wallet_revokePermissions':
        return disconnect()
      default:
        if (walletMethods.includes(request.method)) return callWallet(request)
        if (!request.method.startsWith('eth_')) throw new RemoteWalletError(4200, `${request.method} is not supported`)
        return callChain(chains.find((chain) => chain.chainId === chainId)?.rpcUrl, request)
    }
  }
  return {
    request: (request: Request) => answer(request).catch(asProviderError),
    on: (event: string, listener: Listener) => {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener))
    },
    removeListener: (event: string, listener: Listener) => void listeners.get(event)?.delete(listener),
  }
}

/** The client retries a relay indefinitely; this reports the failure to the user. */
async function withinTime<T>(pending: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    reject(
      asWorded(
        new CairnError('UPSTREAM_FAILED', {
          message: messages.wallet.relayOffline,
          hint: messages.wallet.relayOfflineHint,
        }),
      ),
    )
  }, relayTimeoutMs)
  try {
    return await Promise.race([pending, promise])
  } finally {
    clearTimeout(timer)
  }
}

async function startClient(
  settings: { projectId: string; relayUrl: string },
  watch: (client: Client) => void,
): Promise<Client> {
  const { SignClient } = await loadClient()
  const client = await SignClient.init({
    ...settings,
    metadata: {
      name: document.title,
      description: '',
      url: location.origin,
      icons: [`${location.origin}/favicon.svg`],
    },
    // Only the wallet receives data; errors are shown where they happen.
    telemetryEnabled: false,
    logger: 'silent',
  })
  watch(client)
  return client
}

/** CAIP-10 `eip155:1:0x…`, or only the address. */
function toAddress(account: unknown): string {
  return String(account).split(':').at(-1) ?? ''
}

function accountsOf(session: Session | undefined): string[] {
  return [...new Set((session?.namespaces['eip155']?.accounts ?? []).map(toAddress))]
}

function approvedChains(session: Session): number[] {
  return (session.namespaces['eip155']?.accounts ?? []).map((account) => Number(account.split(':')[1]))
}

function toHex(value: number): string {
  return `0x${value.toString(16)}`
}

async function callChain(rpcUrl: string | undefined, { method, params = [] }: Request): Promise<unknown> {
  if (rpcUrl === undefined) throw new RemoteWalletError(4901, 'The network names no endpoint of this chain')
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: AbortSignal.timeout(chainTimeoutMs),
  })
  const body: unknown = await response.json()
  if (typeof body === 'object' && body !== null && 'result' in body) return body.result
  throw typeof body === 'object' && body !== null && 'error' in body ? body.error : new Error('no answer of the chain')
}

/** WalletConnect codes for a rejection by the user. */
const declined = [5000, 5001, 5002]

function asProviderError(error: unknown): never {
  if (error instanceof RemoteWalletError || CairnError.is(error)) throw error
  const parts = typeof error === 'object' && error !== null ? error : {}
  const message = 'message' in parts ? String(parts.message) : String(error)
  const code = 'code' in parts ? Number(parts.code) : -32603
  if (/expired/i.test(message)) {
    throw asWorded(
      new CairnError('TIMEOUT', {
        message: messages.wallet.pairOver,
        hint: messages.wallet.pairOverHint,
        cause: error,
      }),
    )
  }
  throw new RemoteWalletError(declined.includes(code) || /reject|declin/i.test(message) ? 4001 : code, message, error)
}
