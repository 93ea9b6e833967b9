import { classNames } from '../class-names.ts'

/** Placeholder of loading content; appears after 150 ms, so that fast loads never flicker. */
export function Skeleton({ className = 'h-40 w-full' }: { className?: string }) {
  return <span aria-hidden="true" className={classNames('block animate-skeleton rounded-md bg-line', className)} />
}
