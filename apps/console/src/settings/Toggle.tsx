/** A switch with a description of its effect. */
export function Toggle({
  label,
  hint,
  isOn,
  onChange,
}: {
  label: string
  hint: string
  isOn: boolean
  onChange: (isOn: boolean) => void
}) {
  return (
    <label className="flex cursor-pointer items-start gap-3">
      <input
        type="checkbox"
        className="mt-1 size-4 accent-accent"
        checked={isOn}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span>
        <span className="block font-medium text-sm">{label}</span>
        <span className="block max-w-prose text-ink-soft text-sm">{hint}</span>
      </span>
    </label>
  )
}
