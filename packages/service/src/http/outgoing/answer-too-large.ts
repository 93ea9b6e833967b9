/** An answer of more bytes than its reader allows. */
export class AnswerTooLargeError extends Error {
  override readonly name = 'AnswerTooLargeError'
  constructor(maxBytes: number) {
    super(`the answer is longer than ${maxBytes} bytes`)
  }
}
