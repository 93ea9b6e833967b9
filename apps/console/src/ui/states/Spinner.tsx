/** Shows work in progress. With a label it is read aloud; without one, the text next to it says so. */
export function Spinner({ label, size = 16 }: { label?: string; size?: number }) {
  return (
    <span className="inline-flex" {...(label === undefined ? { 'aria-hidden': true } : { role: 'status' })}>
      <svg
        width={`${size / 16}rem`}
        height={`${size / 16}rem`}
        viewBox="0 0 16 16"
        className="animate-spin"
        fill="none"
        aria-hidden="true"
      >
        <circle cx="8" cy="8" r="6.5" stroke="currentColor" strokeOpacity="0.25" strokeWidth="2" />
        <path d="M14.5 8A6.5 6.5 0 0 0 8 1.5" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
      </svg>
      {label === undefined ? undefined : <span className="sr-only">{label}</span>}
    </span>
  )
}
