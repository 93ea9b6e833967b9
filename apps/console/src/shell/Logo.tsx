/** Three stones, the last one in the accent. */
export function Logo({ size = 28 }: { size?: number }) {
  return (
    <svg
      width={`${size / 16}rem`}
      height={`${size / 16}rem`}
      viewBox="0 0 32 32"
      aria-hidden="true"
      className="shrink-0"
    >
      <rect x="3" y="22" width="26" height="7.5" rx="3.75" className="fill-ink-soft" />
      <rect x="7" y="13" width="19" height="7.5" rx="3.75" className="fill-ink-faint" />
      <rect x="10.5" y="5" width="11" height="6.5" rx="3.25" className="fill-accent" />
    </svg>
  )
}
