import { classNames } from './class-names.ts'

/** Where something is about to be; shown after 150 ms, so that what is quick never flickers. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden="true" className={classNames('block animate-skeleton rounded-md bg-line', className)} />
}
