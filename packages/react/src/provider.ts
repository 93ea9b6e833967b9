import { CairnError, type Client, createClient, type KeySession, loadNetwork, type NetworkProfile } from '@cairn/sdk'
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react'
import { type Changes, createChanges } from './changes.ts'
import { useLatest } from './use-latest.ts'

/** Credentials of the user; without an API key, hooks read public content only. */
type Credentials = {
  apiKey?: string | undefined
  /** Session with the key nodes, for encrypted files. */
  keySession?: KeySession | undefined
  /** Called after a session renewal, so that the app can store the session. */
  onKeySession?: ((session: KeySession) => void) | undefined
}

/** Props of {@link CairnProvider}: a client, or a network with the credentials of the user. */
export type CairnProviderProps = { children?: ReactNode } & (
  | ({
      /** A profile, or the URL of a network, whose profile is then loaded. */
      network: NetworkProfile | string
      client?: never
    } & Credentials)
  | { client: Client; network?: never; apiKey?: never; keySession?: never; onKeySession?: never }
)

/** What {@link useCairn} returns. */
export type Cairn = {
  /** Undefined until the network is loaded. */
  client: Client | undefined
  /** Why the network could not be loaded. */
  error: CairnError | undefined
  /** Loads the network again after an error. */
  retry: () => void
}

type CairnContext = Cairn & {
  /** Changes with the network and the account, but not with renewed sessions. Loaded data belongs to it. */
  account: object
  changes: Changes
}

const Context = createContext<CairnContext | undefined>(undefined)

/**
 * Provides the hooks below it with a client.
 * @example
 * <CairnProvider network="https://storage.example.com" apiKey={apiKey}>
 *   <App />
 * </CairnProvider>
 */
export function CairnProvider(props: CairnProviderProps): ReactElement {
  const { network, apiKey, keySession, onKeySession, children } = props
  const { profile, error, retry } = useProfile(network)
  const notifySession = useLatest(onKeySession)
  // Known names belong to the network: a sign-in must not make older records acceptable.
  const base = useMemo(
    () => profile && createClient({ network: profile, onKeySession: (session) => notifySession.current?.(session) }),
    [profile, notifySession],
  )
  const own = useMemo(() => base && { ...base, apiKey, keySession }, [base, apiKey, keySession])
  const client = props.client ?? own
  const accountKey = [client?.apiKey, client?.keySession?.address].join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new object for each network and account.
  const account = useMemo(() => ({}), [client?.network, accountKey])
  const [changes] = useState(createChanges)
  const value = useMemo(() => ({ client, error, retry, account, changes }), [client, error, retry, account, changes])
  return createElement(Context.Provider, { value }, children)
}

type LoadedProfile = { profile?: NetworkProfile | undefined; error?: CairnError | undefined }

/** Loads the profile of a network that is named by its URL. */
function useProfile(network: NetworkProfile | string | undefined): LoadedProfile & Pick<Cairn, 'retry'> {
  const url = typeof network === 'string' ? network : undefined
  // An object that the app creates at each render is the same network.
  const text = url === undefined && network !== undefined ? JSON.stringify(network) : undefined
  const given = useMemo<NetworkProfile | undefined>(() => (text === undefined ? undefined : JSON.parse(text)), [text])
  const [loaded, setLoaded] = useState<LoadedProfile & { url?: string; turn?: number }>({})
  const [turn, setTurn] = useState(0)
  const failed = useLatest(loaded.url === url && loaded.error !== undefined)
  const retry = useCallback(() => {
    if (failed.current) setTurn((last) => last + 1)
  }, [failed])
  useEffect(() => {
    if (url === undefined) return
    let isCurrent = true
    loadNetwork(url).then(
      (profile) => isCurrent && setLoaded({ url, turn, profile }),
      (error: unknown) => isCurrent && setLoaded({ url, turn, error: CairnError.from(error) }),
    )
    return () => {
      isCurrent = false
    }
  }, [url, turn])
  if (url === undefined) return { profile: given, retry }
  return loaded.url === url && loaded.turn === turn ? { ...loaded, retry } : { retry }
}

/** @throws CairnError USAGE outside of a provider */
export function useCairnContext(): CairnContext {
  const context = useContext(Context)
  if (context !== undefined) return context
  throw new CairnError('USAGE', {
    message: 'A Cairn hook was called outside of CairnProvider',
    hint: 'Render the component below <CairnProvider>.',
  })
}

/**
 * Returns the client of the provider, for every call that has no hook.
 * @throws CairnError USAGE outside of a provider
 */
export function useCairn(): Cairn {
  const { client, error, retry } = useCairnContext()
  return useMemo(() => ({ client, error, retry }), [client, error, retry])
}
