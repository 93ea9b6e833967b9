import { messages } from '../messages/messages.ts'

let page = ''
let place: string | undefined

/** Sets the title of the tab: that of the page. */
export function setPageTitle(title: string): void {
  page = title
  show()
}

/** Sets the title of what is open over the page at an address of its own; undefined once it is closed. */
export function setPlaceTitle(title: string | undefined): void {
  place = title
  show()
}

function show(): void {
  document.title = [place ?? page, messages.shell.product].filter(Boolean).join(' · ')
}
