import { useSyncExternalStore } from 'react'

/** A value of the page that components and other modules follow. */
export type Store<Value> = {
  get(): Value
  /** Replaces the value, and notifies all that watch it. */
  set(next: Value): void
  /** Subscribes to changes; returns the function that unsubscribes. */
  watch(listener: () => void): () => void
}

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      value = next
      for (const listener of listeners) listener()
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Returns the value of a store, and rerenders on changes. */
export function useStore<Value>({ get, watch }: Pick<Store<Value>, 'get' | 'watch'>): Value {
  return useSyncExternalStore(watch, get)
}
