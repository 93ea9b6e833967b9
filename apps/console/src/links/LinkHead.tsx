import type { IconComponent } from '#icons'

/** The head of what visitors of a link see first. */
export function LinkHead({ icon: Icon, title, hint }: { icon: IconComponent; title: string; hint: string }) {
  return (
    <div className="flex flex-col items-center gap-3 text-center">
      <span className="grid size-14 place-items-center rounded-xl bg-accent-soft text-accent-ink">
        <Icon aria-hidden="true" size={26} strokeWidth={1.6} />
      </span>
      <h1 className="font-semibold text-xl tracking-tight">{title}</h1>
      <p className="text-ink-soft">{hint}</p>
    </div>
  )
}
