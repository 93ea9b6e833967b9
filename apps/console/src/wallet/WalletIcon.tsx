import { type IconComponent, Wallet } from '#icons'

/** Wallet icons are data URLs; any other URL would call a third party. Shown as an image, so none of it runs. */
export function WalletIcon({
  icon,
  size = 32,
  fallback: Fallback = Wallet,
}: {
  icon: string | undefined
  size?: number
  fallback?: IconComponent
}) {
  const source = icon?.trim()
  if (source?.startsWith('data:image/')) {
    return <img src={source} alt="" width={size} height={size} className="rounded-md" />
  }
  return (
    <span className="grid size-8 place-items-center rounded-md bg-sunken text-ink-soft">
      <Fallback aria-hidden="true" size={18} />
    </span>
  )
}
