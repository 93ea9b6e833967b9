import { Link } from '@tanstack/react-router'
import { useNetwork } from '../../network/NetworkProvider.tsx'
import { words } from '../../words/words.ts'

/** Every host that this console talks to: those of the network's profile, and no others. */
export function NetworkSection() {
  const { name, api, gateway, keyRouter, chain, chains = chain === undefined ? [] : [chain] } = useNetwork()
  const lines = [
    [words.settings.networkName, name],
    [words.settings.api, api],
    [words.settings.gateway, gateway],
    ...(keyRouter === undefined ? [] : [[words.settings.router, keyRouter] as const]),
    ...chains.map((one) => [words.settings.chain(one.name), one.rpcUrl] as const),
  ] as const
  return (
    <section className="rounded-lg border border-line bg-surface p-5 shadow-card">
      <h2 className="font-semibold">{words.settings.network}</h2>
      <p className="mb-3 text-ink-soft text-sm">{words.settings.networkHint}</p>
      <dl className="grid gap-x-6 gap-y-2 text-sm sm:grid-cols-[8rem_minmax(0,1fr)]">
        {lines.map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-ink-soft">{label}</dt>
            <dd className="break-all font-mono">{value}</dd>
          </div>
        ))}
      </dl>
      <Link to="/status" className="mt-3 inline-block text-accent-ink text-sm hover:underline">
        {words.settings.status}
      </Link>
    </section>
  )
}
