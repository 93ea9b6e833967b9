/** Returns whether a dialog is open, which then handles the keys. Overlays with their own address do not count. */
export function hasDialog(): boolean {
  return document.querySelector('[role=dialog]:not([data-place])') !== null
}
