/** Time limit for an answer of a provider; and of others, while one does not answer. */
const answerMs = 15_000
const silentAnswerMs = 2000
/** Number of answers in a row that did not come in time, after which a provider is not waited for as long. */
const maxUnanswered = 4

/**
 * How long a provider is waited for in a round. One that accepts connections and does not answer would take the whole limit
 * for each of its deals, so that a loss of thousands would be noticed days later.
 */
export type AnswerLimit = {
  /** Returns the limit of the next call, in ms. The first of a round is always waited for. */
  next(): number
  /** Records whether a call was answered in time. */
  note(isAnswered: boolean): void
}

export function createAnswerLimit(): AnswerLimit {
  let asked = 0
  let unanswered = 0
  return {
    next: () => (asked++ === 0 || unanswered < maxUnanswered ? answerMs : silentAnswerMs),
    note(isAnswered) {
      unanswered = isAnswered ? 0 : unanswered + 1
    },
  }
}
