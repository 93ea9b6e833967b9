import { Link } from '@tanstack/react-router'
import { messages } from '../messages/messages.ts'
import { useNetwork } from '../network/use-network.ts'

/** WalletConnect Verify, which the policy of the page also allows. */
const verifyUrl = 'https://verify.walletconnect.org'

/** Every host that this console calls: those of the network profile, and no others. */
export function NetworkSection() {
  const { name, api, upload, gateway, keyRouter, keyNodes = [], providers = [], walletConnect, ...more } = useNetwork()
  const { chain, chains = chain === undefined ? [] : [chain] } = more
  const lines = [
    [messages.settings.networkName, name],
    [messages.settings.api, api],
    ...(upload === api ? [] : [[messages.shell.upload, upload] as const]),
    [messages.settings.gateway, gateway],
    ...(keyRouter === undefined ? [] : [[messages.settings.router, keyRouter] as const]),
    ...keyNodes.map((url, at) => [messages.status.keyNode(at + 1), url] as const),
    ...providers.map(({ url }, at) => [messages.status.provider(at + 1), url] as const),
    ...chains.map((one) => [messages.settings.chain(one.name), one.rpcUrl] as const),
    ...(walletConnect === undefined
      ? []
      : [['WalletConnect', walletConnect.relayUrl] as const, ['WalletConnect Verify', verifyUrl] as const]),
  ] as const
  return (
    <section className="rounded-lg border border-line bg-surface p-5 shadow-card">
      <h2 className="font-semibold">{messages.settings.network}</h2>
      <p className="mb-3 text-ink-soft text-sm">{messages.settings.networkHint}</p>
      <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[8rem_minmax(0,1fr)]">
        {lines.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-ink-soft">{label}</dt>
            <dd className="break-all font-mono">{value}</dd>
          </div>
        ))}
      </dl>
      <Link
        to="/status"
        className="mt-2.5 inline-block pointer-coarse:py-3 py-0.5 text-accent-ink text-sm hover:underline"
      >
        {messages.settings.status}
      </Link>
    </section>
  )
}
