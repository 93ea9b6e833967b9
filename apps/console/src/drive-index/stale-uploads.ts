let isStale = false

/** Uploads were deleted or renamed: what keeps a list of all of them reads it again. */
export function markUploadsStale(): void {
  isStale = true
}

/** Returns whether a full list is due, and takes it as read. */
export function takeUploadsStale(): boolean {
  const was = isStale
  isStale = false
  return was
}
