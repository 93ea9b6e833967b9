/** Data that an action may change, and that hooks then load again. */
export type Topic = 'files' | 'account' | 'access' | 'names'

/** Connects the actions below a provider to the hooks that show their effect. */
export type Changes = {
  notify(...topics: readonly Topic[]): void
  /** Returns a function that ends the subscription. */
  subscribe(topic: Topic, listener: () => void): () => void
}

export function createChanges(): Changes {
  const listeners = new Map<Topic, Set<() => void>>()
  return {
    notify(...topics) {
      for (const topic of topics) for (const listener of listeners.get(topic) ?? []) listener()
    },
    subscribe(topic, listener) {
      const own = listeners.get(topic) ?? new Set()
      listeners.set(topic, own.add(listener))
      return () => own.delete(listener)
    },
  }
}
