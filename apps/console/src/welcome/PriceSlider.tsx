import { GIB } from '@cairn/protocol'
import { useId, useState } from 'react'
import { formatBytes, formatUsd } from '../messages/format.ts'
import { messages } from '../messages/messages.ts'
import { priceUsd } from '../messages/price-usd.ts'
import { useNetwork } from '../network/use-network.ts'

const sizes = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1024, 2048, 5120, 10240].map((gib) => gib * GIB)

/** The price of storage for the size on a slider. */
export function PriceSlider() {
  const id = useId()
  const network = useNetwork()
  const [step, setStep] = useState(3)
  const sizeBytes = sizes[step] ?? GIB
  return (
    <section aria-labelledby={`${id}-title`} className="rounded-xl border border-line bg-surface p-6 shadow-card">
      <h2 id={`${id}-title`} className="font-medium text-ink-soft text-sm">
        {messages.welcome.priceTitle}
      </h2>
      <p className="mt-3 font-semibold text-3xl tracking-tight tabular">{formatUsd(priceUsd(network, sizeBytes))}</p>
      <p className="text-ink-soft tabular">{messages.welcome.priceFor(formatBytes(sizeBytes))}</p>
      <label htmlFor={id} className="sr-only">
        {messages.welcome.priceSlider}
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={sizes.length - 1}
        value={step}
        aria-valuetext={formatBytes(sizeBytes)}
        onChange={({ target }) => setStep(target.valueAsNumber)}
        className="mt-6 h-6 w-full cursor-pointer accent-accent"
      />
      <p className="mt-3 text-ink-soft text-sm">{messages.welcome.priceNote}</p>
    </section>
  )
}
