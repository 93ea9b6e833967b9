/** The database asks to run a unit of work again: a serialization failure, a deadlock, a busy file. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError'
}
