/** Code that the worker splits into parts. */
export type CodeRequest = { text: string; language: string }

/** A text, or parts of one kind, such as `hljs-comment`. */
export type CodePart = string | { kind: string; parts: CodePart[] }
