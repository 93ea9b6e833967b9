import { messages } from '../messages/messages.ts'

let page = ''
let place: string | undefined

/** Sets the title of the page, which the browser tab shows; empty for the first page. */
export function setPageTitle(title: string): void {
  page = title
  show()
}

/** Sets the title of an overlay with its own address, shown instead of that of the page; undefined once it is closed. */
export function setPlaceTitle(title: string | undefined): void {
  place = title
  show()
}

function show(): void {
  document.title = [place ?? page, messages.shell.product].filter(Boolean).join(' · ')
}
