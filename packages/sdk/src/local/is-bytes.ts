/** Returns whether a value is bytes, also if it was created in another realm, such as a test environment or a frame. */
export function isBytes(value: unknown): value is Uint8Array {
  return Object.prototype.toString.call(value) === '[object Uint8Array]'
}
