import { classNames } from '../class-names.ts'

/** Placeholder of loading content; appears after 150 ms, so that fast loads never flicker. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden="true" className={classNames('block animate-skeleton rounded-md bg-line', className)} />
}
