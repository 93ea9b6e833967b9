import { ExternalLink } from '#icons'

/** Opens a page of a chain's explorer in a tab of its own; nothing for a chain without one. */
export function ExplorerLink({ page, label }: { page: string | undefined; label: string }) {
  if (page === undefined) return undefined
  return (
    <a
      href={page}
      target="_blank"
      rel="noreferrer"
      aria-label={label}
      title={label}
      className="grid size-8 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-hover hover:text-ink pointer-coarse:size-11"
    >
      <ExternalLink aria-hidden="true" size={16} />
    </a>
  )
}
