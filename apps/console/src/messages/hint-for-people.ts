/** What a person at a page cannot do: run a command, call a function, set a setting, read a field of the response. */
const forPrograms = [
  /`(?:cairn|npm|[a-z]+[A-Z])/,
  /\b(?:cairn|npm) [a-z]/,
  /(?:^|\s)--[a-z]/,
  /\bCAIRN_[A-Z]/,
  /`(?:client_max_body_size|\/readyz)`/,
  /\bThe response is not from Cairn\b/,
  /\b(?:[Uu]se|[Pp]ass|[Cc]all) [a-z]+[A-Z]/,
  /\bdetails\b/,
  /\/docs\b/,
  /\b(?:GET|PUT|POST|HEAD|Retry-After|Authorization)\b/,
  /\bmessage names\b/,
]

/** Whether a hint names what only programs, or people at a command line, can do. */
export function isForPrograms(hint: string): boolean {
  return forPrograms.some((pattern) => pattern.test(hint))
}

/** Returns the sentences of a hint that people at a page can follow; they may be none. */
export function hintForPeople(hint: string): string {
  if (!isForPrograms(hint)) return hint
  return hint
    .split(/(?<=[.!?])\s+/)
    .filter((sentence) => !isForPrograms(sentence))
    .join(' ')
}
