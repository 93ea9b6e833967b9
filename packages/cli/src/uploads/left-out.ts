/** What the upload of a folder leaves out, gathered by the option of an upload. */
export type LeftOut = {
  /** Paths, each once, also after a retry. */
  readonly paths: ReadonlySet<string>
  /** The paths as part of a result; nothing without any. */
  facts(): { leftOut?: string[] }
  onLeftOut(path: string): void
}

/** Starts empty. */
export function gatherLeftOut(): LeftOut {
  const paths = new Set<string>()
  return {
    paths,
    facts: () => (paths.size === 0 ? {} : { leftOut: [...paths] }),
    onLeftOut: (path) => void paths.add(path),
  }
}
