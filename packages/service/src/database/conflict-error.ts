/** The database requests a retry of a unit of work: a serialization failure, a deadlock, a busy file. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError'
}
