/**
 * Gathers what one turn of the event loop brings and passes it to `handle` at its end, in the same order. Answers that
 * leave one after the other wake a reader once; between two requests, each wakes it, which costs more than the answer.
 */
export function atTurnEnd<T>(handle: (item: T) => void): (item: T) => void {
  let waiting: T[] = []
  const handleAll = (): void => {
    const items = waiting
    waiting = []
    for (const item of items) handle(item)
  }
  return (item) => {
    if (waiting.push(item) === 1) setImmediate(handleAll)
  }
}
