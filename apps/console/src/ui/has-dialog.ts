/** Whether a dialog is open over the page, and over what has an address of its own: it has the keys then. */
export function hasDialog(): boolean {
  return document.querySelector('[role=dialog]:not([data-place])') !== null
}
