/** Shows progress from 0 to 1; undefined if unknown. Decorative unless it has a label. */
export function ProgressBar({
  label,
  value,
  tone = 'accent',
}: {
  label: string
  value: number | undefined
  tone?: 'accent' | 'bad' | 'good' | 'warn'
}) {
  const colour = { accent: 'text-accent', bad: 'text-bad', good: 'text-good', warn: 'text-warn' }[tone]
  const percent = value === undefined ? undefined : Math.round(Math.min(1, Math.max(0, value)) * 100)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      {...(percent === undefined ? {} : { 'aria-valuenow': percent })}
      className={`h-1.5 w-full overflow-hidden rounded-full bg-line ${colour}`}
    >
      {percent === undefined ? (
        // A short moving part, because a full bar would look finished.
        <svg width="100%" height="6" aria-hidden="true">
          <rect x="35%" width="30%" height="6" rx="3" fill="currentColor" className="animate-sweep" />
        </svg>
      ) : (
        <svg width="100%" height="6" aria-hidden="true">
          <rect width={`${percent}%`} height="6" rx="3" fill="currentColor" />
        </svg>
      )}
    </div>
  )
}
